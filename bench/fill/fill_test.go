package fill_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"makechain/bench/fill"
	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
	"makechain/internal/store"
	"makechain/proof/finality"
)

const testRows = 5_000

func options(seed uint64) fill.Options {
	return fill.Options{Rows: testRows, Seed: seed, Progress: func(int, int) {}}
}

// newState creates an empty store and fills it.
func newState(tb testing.TB, dir string, options fill.Options) *fill.Result {
	tb.Helper()
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	filled, err := fill.State(tb.Context(), dir, options)
	if err != nil {
		tb.Fatal(err)
	}
	return filled
}

// TestState checks that the seed determines the rows, and that the store can be opened, which verifies their root.
func TestState(t *testing.T) {
	t.Parallel()
	var first *fill.Result
	for i, seed := range []uint64{1, 1, 2} {
		dir := filepath.Join(t.TempDir(), "state")
		filled := newState(t, dir, options(seed))
		if first == nil {
			first = filled
		}
		if same := *filled == *first; same != (i < 2) {
			t.Errorf("with seed %d the state is %+v, with seed 1 it is %+v", seed, filled, first)
		}
		s, err := store.Open(dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		state := s.Snapshot()
		if uint64(state.Len()) != filled.Rows || state.Root() != filled.Root || filled.Rows < testRows*9/10 || filled.Rows > testRows*11/10 {
			t.Errorf("%d rows with root %x, want %+v", state.Len(), state.Root(), filled)
		}
		if err := state.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestHome fills the chain of a stopped node. It continues, serves verified proofs of filled rows and of rows of messages, and its
// rows, indexes and blocks are consistent. A chain with messages is not filled.
func TestHome(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	for idle := false; !idle; {
		n := nodetest.Start(t, home)
		nodetest.Await(t, "a block", func() bool { return height(t, n) > 0 })
		n.Stop(t)
		var err error
		if idle, err = fill.Idle(home); err != nil {
			t.Fatal(err)
		}
	}
	filled, err := fill.Home(t.Context(), home, options(1))
	if err != nil {
		t.Fatal(err)
	}
	n := nodetest.Start(t, home)
	key := nodetest.NewAccount(t).AddKey()
	n.Submit(t, key)
	n.MustCommit(t, key)
	if stats := nodetest.Call(t, n.GetChainStats, &pb.GetChainStatsRequest{}); uint64(stats.GetStateEntries()) != filled.Rows+3 {
		t.Errorf("the state has %d rows, want 3 more than %d", stats.GetStateEntries(), filled.Rows)
	}
	checkProofs(t, n, schema.UsernameKey("fill-00000003"), schema.AccountKey(key.Owner))
	n.Stop(t)
	var lines []string
	if err := node.Check(home, node.CheckOptions{Report: func(line string) { lines = append(lines, line) }}); err != nil {
		t.Errorf("%v after\n%s", err, strings.Join(lines, "\n"))
	}
	if _, err := fill.Home(t.Context(), home, options(2)); err == nil || !strings.Contains(err.Error(), "1 messages") {
		t.Errorf("a chain with a message was filled: %v", err)
	}
}

func height(t *testing.T, n *nodetest.Node) uint64 {
	t.Helper()
	return nodetest.Call(t, n.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock()
}

// checkProofs reads rows with a client that trusts the validators of the genesis file.
func checkProofs(t *testing.T, n *nodetest.Node, keys ...[]byte) {
	t.Helper()
	document, err := comet.GenesisDocument(n.Home())
	if err != nil {
		t.Fatal(err)
	}
	trust, err := finality.TrustGenesis(document)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(n.GRPCAddr(), client.WithTrust(trust))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, key := range keys {
		if value, _, err := c.Row(t.Context(), key); err != nil || len(value) == 0 {
			t.Errorf("row %x: %x, %v", key, value, err)
		}
	}
	if value, _, err := c.Row(t.Context(), bytes.Repeat([]byte{byte(schema.PrefixAccount)}, 21)); err != nil || value != nil {
		t.Errorf("an absent row: %x, %v", value, err)
	}
}
