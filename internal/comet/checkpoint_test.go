package comet_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"

	"makechain/internal/comet"
	"makechain/internal/ident"
)

// testChain is a chain with one validator, a few blocks, and their light blocks from 1 on.
type testChain struct {
	home   string
	app    *memoryApp
	engine *comet.Engine
	lights [][]byte
}

func newTestChain(t *testing.T) *testChain {
	t.Helper()
	c := &testChain{home: newHome(t), app: newMemoryApp()}
	c.engine = start(t, testConfig(c.home), c.app)
	var last uint64
	for i := range 5 {
		last = submit(t, c.engine, accountMessage(t, i))
	}
	awaitBlock(t, c.engine, last+1)
	for number := uint64(1); number <= last+1; number++ {
		light, err := c.engine.LightBlock(number)
		if err != nil {
			t.Fatal(err)
		}
		c.lights = append(c.lights, light)
	}
	return c
}

// checkpoint returns the checkpoint of a block.
func (c *testChain) checkpoint(t *testing.T, number int) *comet.Checkpoint {
	t.Helper()
	g, err := comet.Genesis(c.home)
	if err != nil {
		t.Fatal(err)
	}
	checkpoint, err := comet.ParseCheckpoint(c.lights[number-1:number+1], g)
	if err != nil {
		t.Fatal(err)
	}
	return checkpoint
}

// appAt returns an application with the state after a block, like one that was restored.
func (c *testChain) appAt(number int) *memoryApp {
	app := newMemoryApp()
	c.app.mu.Lock()
	defer c.app.mu.Unlock()
	app.height, app.roots = int64(number), slices.Clone(c.app.roots[:number+1])
	return app
}

// TestBootstrap bootstraps an engine from a checkpoint, and checks its reads, that it can be restarted before its first
// block, and that it follows the chain.
//
// Rules: I1, P11.1.
func TestBootstrap(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	const at = 3
	c := newTestChain(t)
	checkpoint := c.checkpoint(t, at)
	home := homeLike(t, c.home)
	if err := checkpoint.Bootstrap(home, false); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Bootstrap(home, false); err == nil {
		t.Error("bootstrapped twice")
	}
	for range 2 {
		engine := start(t, testConfig(home), c.appAt(at))
		if base, height := engine.Base(), engine.Height(); base != at+1 || height != at {
			t.Errorf("blocks %d to %d, want none yet after %d", base, height, at)
		}
		for _, number := range []uint64{1, at, at + 1} {
			if block, err := engine.Block(number); block != nil || err != nil {
				t.Errorf("block %d: %v, %v", number, block, err)
			}
		}
		stop(t, engine)
	}
	config := testConfig(home)
	config.PersistentPeers = []string{c.engine.Address()}
	follower := start(t, config, c.appAt(at))
	last := submit(t, c.engine, accountMessage(t, 7))
	ours, theirs := awaitBlock(t, follower, last), awaitBlock(t, c.engine, last)
	if ident.Hash(ours.GetBlock().GetHash()) != ident.Hash(theirs.GetBlock().GetHash()) {
		t.Errorf("block %d differs", last)
	}
	if base := follower.Base(); base != at+1 {
		t.Errorf("blocks from %d on, want %d", base, at+1)
	}
}

// TestBootstrapValidator checks that the only validator continues from a checkpoint, also after a restart, and that it signs
// heights again only when it is allowed to.
func TestBootstrapValidator(t *testing.T) {
	t.Parallel()
	const at = 2
	c := newTestChain(t)
	stop(t, c.engine)
	lights, err := comet.LightBlocks(c.home, at, at+1, 1<<40)
	if err != nil || !slices.Equal(lights[0], c.lights[at-1]) || len(lights[1]) == 0 || lights[2] != nil {
		t.Errorf("light blocks of a stopped engine: %v", err)
	}
	checkpoint := c.checkpoint(t, at)
	if err := comet.RemoveChain(c.home); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Bootstrap(c.home, false); !errors.Is(err, comet.ErrSigned) || comet.HasChain(c.home) {
		t.Fatalf("a validator that signed later blocks: %v", err)
	}
	if err := checkpoint.Bootstrap(c.home, true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.home, "data", "cs.wal")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the WAL of the removed chain: error %v, want %v", err, fs.ErrNotExist)
	}
	app := c.appAt(at)
	for i := range 2 {
		engine := start(t, testConfig(c.home), app)
		if last := submit(t, engine, accountMessage(t, 10+i)); last <= at {
			t.Errorf("the message is in block %d", last)
		}
		stop(t, engine)
	}
}

// TestParseCheckpoint checks that only consecutive, signed light blocks are accepted.
//
// Rules: P11.2.
func TestParseCheckpoint(t *testing.T) {
	t.Parallel()
	const at = 3
	c, other := newTestChain(t), newTestChain(t)
	checkpoint := c.checkpoint(t, at)
	g, err := comet.Genesis(c.home)
	if err != nil {
		t.Fatal(err)
	}
	root := c.app.rootAfter(at)
	certifying, hash := checkpoint.CertifyingBlock()
	if checkpoint.Height() != at || certifying != at+1 || string(root) != string(rootOf(checkpoint)) {
		t.Errorf("height %d, root %s, certified by %d", checkpoint.Height(), checkpoint.Root(), certifying)
	}
	if err := errors.Join(checkpoint.VerifyGenesis(), checkpoint.VerifyHash(certifying, hash)); err != nil {
		t.Error(err)
	}
	for _, err := range []error{checkpoint.VerifyHash(certifying, ident.Hash{1}), checkpoint.VerifyHash(at, hash), checkpoint.VerifyHash(1, hash)} {
		if !errors.Is(err, comet.ErrCheckpoint) {
			t.Errorf("a different block: %v", err)
		}
	}
	if _, err := comet.ParseCheckpoint(c.lights[at-1:at+2], g); err != nil {
		t.Errorf("with three light blocks: %v", err)
	}
	for name, lights := range map[string][][]byte{
		"one":           c.lights[:1],
		"four":          c.lights[:4],
		"gap":           {c.lights[1], c.lights[3]},
		"backwards":     {c.lights[2], c.lights[1]},
		"two chains":    {c.lights[1], other.lights[2]},
		"another chain": {forged(t, c.lights[1], anotherChain), forged(t, c.lights[2], anotherChain)},
		"garbage":       {c.lights[1], []byte("garbage")},
		"empty":         {c.lights[1], {}},
		"changed root":  {c.lights[1], forged(t, c.lights[2], falseRoot)},
		"unsigned":      {c.lights[1], forged(t, c.lights[2], unsigned)},
	} {
		if _, err := comet.ParseCheckpoint(lights, g); !errors.Is(err, comet.ErrCheckpoint) {
			t.Errorf("%s: error %v, want %v", name, err, comet.ErrCheckpoint)
		}
	}
	foreign, err := comet.ParseCheckpoint(other.lights[at-1:at+1], g)
	if err == nil {
		err = foreign.VerifyGenesis()
	}
	if !errors.Is(err, comet.ErrCheckpoint) {
		t.Errorf("other validators: %v", err)
	}
}

// forged returns a light block with a change that is not signed.
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

func rootOf(checkpoint *comet.Checkpoint) []byte {
	root := checkpoint.Root()
	return root[:]
}
