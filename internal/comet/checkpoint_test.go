package comet_test

import (
	"errors"
	"slices"
	"testing"

	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"

	"makechain/internal/comet"
	"makechain/internal/ident"
)

// grown is a chain of one validator with a few blocks, and its light blocks from 1 on.
type grown struct {
	home   string
	app    *memoryApp
	engine *comet.Engine
	lights [][]byte
}

func grow(t *testing.T) *grown {
	t.Helper()
	g := &grown{home: newHome(t), app: newMemoryApp()}
	g.engine = start(t, testConfig(g.home), g.app)
	var last uint64
	for i := range 5 {
		last = submit(t, g.engine, accountMessage(t, i))
	}
	awaitBlock(t, g.engine, last+1)
	for number := uint64(1); number <= last+1; number++ {
		light, err := g.engine.LightBlock(number)
		if err != nil {
			t.Fatal(err)
		}
		g.lights = append(g.lights, light)
	}
	return g
}

// seed is that after a block.
func (g *grown) seed(t *testing.T, number int) *comet.Checkpoint {
	t.Helper()
	began, err := comet.Genesis(g.home)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := comet.ParseCheckpoint(g.lights[number-1:number+1], began)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

// appAt is an application with the state after a block, as one that was restored has it.
func (g *grown) appAt(number int) *memoryApp {
	app := newMemoryApp()
	g.app.mu.Lock()
	defer g.app.mu.Unlock()
	app.height, app.roots = int64(number), slices.Clone(g.app.roots[:number+1])
	return app
}

// TestPlant plants an engine after a block that it has not seen. It answers what it has, starts again before it has a
// block, and follows the chain from there.
//
// Rules: I1, P11.1.
func TestPlant(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network")
	}
	t.Parallel()
	const at = 3
	g := grow(t)
	seed := g.seed(t, at)
	home := homeLike(t, g.home)
	if err := seed.Bootstrap(home, false); err != nil {
		t.Fatal(err)
	}
	if err := seed.Bootstrap(home, false); err == nil {
		t.Error("planted twice")
	}
	for range 2 {
		engine := start(t, testConfig(home), g.appAt(at))
		if base, height := engine.Base(), engine.Height(); base != at+1 || height != at {
			t.Errorf("blocks %d to %d, want none after %d", base, height, at)
		}
		for _, number := range []uint64{1, at, at + 1} {
			if block, err := engine.Block(number); block != nil || err != nil {
				t.Errorf("block %d: %v, %v", number, block, err)
			}
		}
		stop(t, engine)
	}
	config := testConfig(home)
	config.PersistentPeers = []string{g.engine.Address()}
	follower := start(t, config, g.appAt(at))
	last := submit(t, g.engine, accountMessage(t, 7))
	ours, theirs := awaitBlock(t, follower, last), awaitBlock(t, g.engine, last)
	if ident.Hash(ours.GetBlock().GetHash()) != ident.Hash(theirs.GetBlock().GetHash()) {
		t.Errorf("block %d differs", last)
	}
	if base := follower.Base(); base != at+1 {
		t.Errorf("blocks from %d on, want %d", base, at+1)
	}
}

// TestPlantValidator goes on alone with the key of the validator, after a crash too, and not without being told when
// it signed more before.
func TestPlantValidator(t *testing.T) {
	t.Parallel()
	const at = 2
	g := grow(t)
	stop(t, g.engine)
	lights, err := comet.LightBlocks(g.home, at, at+1, 1<<40)
	if err != nil || !slices.Equal(lights[0], g.lights[at-1]) || len(lights[1]) == 0 || lights[2] != nil {
		t.Errorf("light blocks of a stopped engine: %v", err)
	}
	seed := g.seed(t, at)
	if err := comet.RemoveChain(g.home); err != nil {
		t.Fatal(err)
	}
	if err := seed.Bootstrap(g.home, false); !errors.Is(err, comet.ErrSigned) || comet.HasChain(g.home) {
		t.Fatalf("a validator that signed more: %v", err)
	}
	if err := seed.Bootstrap(g.home, true); err != nil {
		t.Fatal(err)
	}
	app := g.appAt(at)
	for i := range 2 {
		engine := start(t, testConfig(g.home), app)
		if last := submit(t, engine, accountMessage(t, 10+i)); last <= at {
			t.Errorf("the message is in block %d", last)
		}
		stop(t, engine)
	}
}

// TestSeed believes headers that build on one another and are signed, and no others.
//
// Rules: P11.2.
func TestSeed(t *testing.T) {
	t.Parallel()
	const at = 3
	g, stranger := grow(t), grow(t)
	seed := g.seed(t, at)
	began, err := comet.Genesis(g.home)
	if err != nil {
		t.Fatal(err)
	}
	root := g.app.rootAfter(at)
	certifier, hash := seed.CertifyingBlock()
	if seed.Height() != at || certifier != at+1 || string(root) != string(rootOf(seed)) {
		t.Errorf("height %d, root %s, certified by %d", seed.Height(), seed.Root(), certifier)
	}
	if err := errors.Join(seed.VerifyGenesis(), seed.VerifyHash(certifier, hash)); err != nil {
		t.Error(err)
	}
	for _, err := range []error{seed.VerifyHash(certifier, ident.Hash{1}), seed.VerifyHash(at, hash), seed.VerifyHash(1, hash)} {
		if !errors.Is(err, comet.ErrCheckpoint) {
			t.Errorf("another block: %v", err)
		}
	}
	if _, err := comet.ParseCheckpoint(g.lights[at-1:at+2], began); err != nil {
		t.Errorf("with one more header: %v", err)
	}
	for name, lights := range map[string][][]byte{
		"one":           g.lights[:1],
		"four":          g.lights[:4],
		"a gap":         {g.lights[1], g.lights[3]},
		"backwards":     {g.lights[2], g.lights[1]},
		"of two chains": {g.lights[1], stranger.lights[2]},
		"of another":    {forged(t, g.lights[1], anotherChain), forged(t, g.lights[2], anotherChain)},
		"garbage":       {g.lights[1], []byte("garbage")},
		"empty":         {g.lights[1], {}},
		"a false root":  {g.lights[1], forged(t, g.lights[2], falseRoot)},
		"unsigned":      {g.lights[1], forged(t, g.lights[2], unsigned)},
	} {
		if _, err := comet.ParseCheckpoint(lights, began); !errors.Is(err, comet.ErrCheckpoint) {
			t.Errorf("%s: error %v, want %v", name, err, comet.ErrCheckpoint)
		}
	}
	strange, err := comet.ParseCheckpoint(stranger.lights[at-1:at+1], began)
	if err == nil {
		err = strange.VerifyGenesis()
	}
	if !errors.Is(err, comet.ErrCheckpoint) {
		t.Errorf("another validator: %v", err)
	}
}

// forged changes a light block as somebody would who has no key.
func forged(t *testing.T, encoded []byte, change func(*cmtproto.LightBlock)) []byte {
	t.Helper()
	light := new(cmtproto.LightBlock)
	if err := light.Unmarshal(encoded); err != nil {
		t.Fatal(err)
	}
	change(light)
	forged, err := light.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return forged
}

func anotherChain(light *cmtproto.LightBlock) { light.SignedHeader.Header.ChainID = "another" }

func falseRoot(light *cmtproto.LightBlock) { light.SignedHeader.Header.AppHash[0] ^= 1 }

func unsigned(light *cmtproto.LightBlock) { light.SignedHeader.Commit.Signatures[0].Signature[0] ^= 1 }

func rootOf(seed *comet.Checkpoint) []byte {
	root := seed.Root()
	return root[:]
}
