package node_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
	"makechain/internal/validators"
	"makechain/message"
	"makechain/proof/finality"
)

// changing is a chain whose validators change.
type changing struct {
	first  *nodetest.Node
	second *nodetest.Node // validates from the first change on
	key    ident.PublicKey
}

// joining starts a node that follows the chain of another.
func joining(t *testing.T, home string, of *nodetest.Node) *nodetest.Node {
	t.Helper()
	config := nodetest.Config(home, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})))
	config.Genesis = filepath.Join(of.Home(), "config", "genesis.json")
	config.Peers = []string{of.P2PAddr()}
	return nodetest.StartWith(t, config)
}

// set changes the power of the second validator by the signature of the first, queued at a node.
func (c *changing) set(t *testing.T, sequence uint64, power int64, at *nodetest.Node) {
	t.Helper()
	c.change(t, at, sequence, validators.Validator{Key: c.key, Power: power}, c.first)
}

// change signs a change with some validators and queues it at a node.
func (c *changing) change(t *testing.T, at *nodetest.Node, sequence uint64, entry validators.Validator, signers ...*nodetest.Node) {
	t.Helper()
	change := &validators.Change{ChainID: c.first.ChainID(), Sequence: sequence, Content: validators.NewPowers(entry)}
	for _, signer := range signers {
		if _, err := comet.SignChange(signer.Home(), change); err != nil {
			t.Fatal(err)
		}
	}
	if err := node.QueueChange(at.Home(), change); err != nil {
		t.Fatal(err)
	}
	if refused := decided(t, at); refused != "" {
		t.Fatal(refused)
	}
}

// decided waits until the queued change is decided and returns why it was refused, "" if it was not.
func decided(t *testing.T, at *nodetest.Node) (reason string) {
	t.Helper()
	nodetest.Await(t, "the change to be decided", func() bool {
		waits, refused, err := node.ChangeStatus(at.Home())
		if err != nil {
			t.Fatal(err)
		}
		reason = refused
		return !waits
	})
	return reason
}

// grow adds a second validator with increasing power, until no block is decided without it.
func (c *changing) grow(t *testing.T) {
	t.Helper()
	home := filepath.Join(t.TempDir(), "second")
	c.key = keyOf(t, home)
	c.second = joining(t, home, c.first)
	c.set(t, 1, 3, c.first)
	c.set(t, 2, 7, c.second) // 7 of 17
}

// keyOf returns the validator key of a home.
func keyOf(t *testing.T, home string) ident.PublicKey {
	t.Helper()
	identity, err := comet.EnsureKeys(home)
	if err != nil {
		t.Fatal(err)
	}
	return identity.Validator
}

// TestValidatorsChange adds a second validator to a chain until no block is decided without it, and checks that the chain
// continues and that blocks, inclusion proofs, a client that trusts genesis, a node that joins late and a replay follow.
//
// Rules: P11.1, P11.2, I1.
func TestValidatorsChange(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	c := &changing{first: nodetest.Start(t, filepath.Join(t.TempDir(), "first"))}
	alice := nodetest.NewAccount(t)
	c.first.Register(alice, storageUnits, "alice")
	c.grow(t)
	m := alice.Sign(message.Follow(ident.Address{1}))
	c.second.Submit(t, m)
	c.second.MustCommit(t, m)
	newest := awaitIdle(t, c.second.Client)
	awaitBlock(t, c.first.Client, newest)
	c.first.MustCommit(t, m)
	checkSame(t, c.first.Client, c.second.Client)
	c.checkSigners(t, newest)
	c.checkBlocks(t, newest)
	c.checkClient(t, newest)

	late := joining(t, filepath.Join(t.TempDir(), "late"), c.first)
	awaitBlock(t, late.Client, newest)
	checkSame(t, c.first.Client, late.Client)
	for _, n := range []*nodetest.Node{late, c.second, c.first} {
		n.Stop(t)
		if err := node.Check(n.Home(), node.CheckOptions{Replay: true}); err != nil {
			t.Error(err)
		}
	}
}

// checkSigners checks that both validators sign with their changed powers.
func (c *changing) checkSigners(t *testing.T, newest uint64) {
	t.Helper()
	signed := nodetest.Call(t, c.first.GetBlock, &pb.GetBlockRequest{BlockNumber: newest}).GetBlock().GetCommits().GetSignatures()
	isSecond := func() bool {
		for _, s := range signed {
			if bytes.Equal(s.GetSigner(), c.key[:]) {
				return true
			}
		}
		return false
	}
	if len(signed) != 2 || !isSecond() {
		t.Errorf("block %d is signed by %v", newest, signed)
	}
}

// checkBlocks checks that every block can be read and that every message has an inclusion proof.
func (c *changing) checkBlocks(t *testing.T, newest uint64) {
	t.Helper()
	messages := 0
	for number := range newest + 1 {
		block := nodetest.Call(t, c.first.GetBlock, &pb.GetBlockRequest{BlockNumber: number})
		for _, m := range block.GetExecutionPayload().GetAccountMessages() {
			messages++
			included := nodetest.Call(t, c.first.GetMessageInclusionProof, &pb.GetMessageInclusionProofRequest{MessageHash: m.GetHash()})
			if !bytes.Equal(included.GetTransactionsRoot(), block.GetBlock().GetHeader().GetTransactionsRoot()) {
				t.Errorf("message %x of block %d: %v", m.GetHash(), number, included)
			}
		}
	}
	if messages != 4 { // a key, storage, a name, a follow
		t.Errorf("%d messages in all blocks", messages)
	}
}

// checkClient reads the validators with a client that trusts genesis only.
func (c *changing) checkClient(t *testing.T, newest uint64) {
	t.Helper()
	document, err := os.ReadFile(filepath.Join(c.first.Home(), "config", "genesis.json"))
	if err != nil {
		t.Fatal(err)
	}
	trust, err := finality.TrustGenesis(document)
	if err != nil {
		t.Fatal(err)
	}
	var kept finality.Trust
	reader, err := client.New(c.first.GRPCAddr(), client.WithTrust(trust), client.WithTrustUpdates(func(_ *client.Client, newest finality.Trust) error {
		kept = newest
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	value, _, err := reader.Row(t.Context(), schema.ValidatorsKey())
	if err != nil {
		t.Fatal(err)
	}
	set, err := validators.DecodeRow(value)
	if err != nil || set.Sequence != 2 || set.Power(c.key) != 7 || set.TotalPower() != 17 {
		t.Errorf("validators %+v, %v", set, err)
	}
	c.checkKept(t, reader, kept)
	follower, err := finality.NewLightClientFromTrust(t.Context(), trust, reader, finality.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := follower.LightBlock(t.Context(), newest); err != nil {
		t.Errorf("block %d is not followed: %v", newest, err)
	}
}

// checkKept checks that a client trusts the newest validators from now on and no longer needs the first.
func (c *changing) checkKept(t *testing.T, reader *client.Client, kept finality.Trust) {
	t.Helper()
	if newest, err := reader.Trust(t.Context()); err != nil || kept.Number <= 1 || newest.Number != kept.Number {
		t.Errorf("stored %+v, trusted %+v, %v", kept, newest, err)
	}
	if _, _, err := reader.CertifiedRoot(t.Context(), 1); err != nil {
		t.Errorf("the root after the first block: %v", err)
	}
	if newest, err := reader.Trust(t.Context()); err != nil || newest.Number != kept.Number {
		t.Errorf("stored %+v, trusted %+v, %v", kept, newest, err)
	}
	later, err := client.New(c.second.GRPCAddr(), client.WithTrust(kept))
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	if _, _, err := later.Row(t.Context(), schema.ValidatorsKey()); err != nil {
		t.Errorf("with the stored trust: %v", err)
	}
}

// TestRefusedChanges checks that changes that do not apply are refused with a reason, and that another one can be queued.
func TestRefusedChanges(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	n := nodetest.Start(t, filepath.Join(t.TempDir(), "node"))
	change := &validators.Change{ChainID: n.ChainID(), Sequence: 1, Content: validators.Powers{{Key: ident.PublicKey{3}, Power: 3}}}
	for _, test := range []struct {
		edit func()
		want string
	}{
		{func() {}, "power 0 of 10"},
		{func() {
			if _, err := comet.SignChange(n.Home(), change); err != nil {
				t.Fatal(err)
			}
			change.Sequence = 2
		}, "sequence is 2, want 1"},
	} {
		test.edit()
		if err := node.QueueChange(n.Home(), change); err != nil {
			t.Fatal(err)
		}
		if reason := decided(t, n); !strings.Contains(reason, test.want) {
			t.Errorf("refused with %q, want %q", reason, test.want)
		}
	}
	if err := node.QueueChange(t.TempDir(), change); err == nil {
		t.Error("a change was queued in a directory without a chain")
	}
}
