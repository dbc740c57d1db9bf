package connection

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"makechain/client"
	"makechain/internal/cli/output"
	"makechain/internal/cli/usage"
	"makechain/internal/node/nodetest"
	"makechain/proof/finality"
)

// startNode starts a node and returns a client of it.
func startNode(t *testing.T) *testNode {
	t.Helper()
	n := nodetest.Start(t, t.TempDir())
	c, err := client.New(n.GRPCAddr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &testNode{Client: c, node: n}
}

type testNode struct {
	*client.Client

	node *nodetest.Node
}

func (n *testNode) genesisFile() string {
	return filepath.Join(n.node.Home(), "config", "genesis.json")
}

// TestPinned checks that the chain of the first connection is stored, and another one at the same address is refused.
func TestPinned(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	genesis, err := os.ReadFile(n.genesisFile())
	if err != nil {
		t.Fatal(err)
	}
	want, err := finality.TrustGenesis(genesis)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config", chainsFile)
	for _, note := range []string{"note: first connection to chain " + want.ChainID, ""} {
		var notes strings.Builder
		got, err := pinned(t.Context(), &notes, n.Client, path, want.ChainID)
		if err != nil || got.ChainID != want.ChainID || !bytes.Equal(got.ValidatorsHash, want.ValidatorsHash) {
			t.Fatalf("%+v, %v, want %+v", got, err, want)
		}
		if !strings.HasPrefix(notes.String(), note) || note == "" && notes.String() != "" {
			t.Errorf("notes %q, want %q", notes.String(), note)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != output.PrivateMode {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := pinned(t.Context(), new(strings.Builder), n.Client, path, "another"); err == nil || !strings.Contains(usage.Advice(err), "--genesis") {
		t.Errorf("another chain at the same address: %v", err)
	}
	if err := os.WriteFile(path, []byte("{"), output.PrivateMode); err != nil {
		t.Fatal(err)
	}
	if _, err := pinned(t.Context(), new(strings.Builder), n.Client, path, want.ChainID); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a broken file: %v", err)
	}
}

// TestKeepTrust checks that changed validators replace those of the stored chain and of no other.
func TestKeepTrust(t *testing.T) {
	t.Parallel()
	c, err := client.New("node.example:50051")
	if err != nil {
		t.Fatal(err)
	}
	r := &Flags{ConfigDir: ConfigDir{Given: t.TempDir()}}
	path := filepath.Join(r.Given, chainsFile)
	newest := Trust{ChainID: "met", ValidatorsHash: []byte{2}, Number: 7}
	for _, test := range []struct {
		name    string
		genesis string
		address string
		chain   string
		want    Trust
	}{
		{"validators that changed", "", c.Target(), "met", newest},
		{"another chain", "", c.Target(), "another", Trust{ChainID: "another", ValidatorsHash: []byte{1}, Number: 1}},
		{"a genesis file", "genesis.json", c.Target(), "met", Trust{ChainID: "met", ValidatorsHash: []byte{1}, Number: 1}},
		{"another address", "", "other.example:50051", "met", Trust{ChainID: "met", ValidatorsHash: []byte{1}, Number: 1}},
	} {
		before := Trust{ChainID: test.chain, ValidatorsHash: []byte{1}, Number: 1}
		if err := writeChains(path, map[string]Chain{test.address: newChain(before)}); err != nil {
			t.Fatal(err)
		}
		r.Genesis = test.genesis
		if err := r.keepTrust(c, newest); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		known, err := readChains(path)
		if err != nil || len(known) != 1 || known[test.address] != newChain(test.want) {
			t.Errorf("%s: %v, %v", test.name, known, err)
		}
	}
}

// TestTrust checks that a genesis file takes precedence, and that a local development chain is not stored.
func TestTrust(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	dir := filepath.Join(t.TempDir(), "config")
	met, err := (&Flags{ConfigDir: ConfigDir{Given: dir}}).trust(t.Context(), new(strings.Builder), n.Client)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a development chain was kept")
	}
	told, err := (&Flags{Genesis: n.genesisFile()}).trust(t.Context(), new(strings.Builder), n.Client)
	if err != nil || told.ChainID != met.ChainID || !bytes.Equal(told.ValidatorsHash, met.ValidatorsHash) {
		t.Errorf("%+v, %v, want %+v", told, err, met)
	}
	if _, err := (&Flags{Genesis: dir}).trust(t.Context(), new(strings.Builder), n.Client); err == nil {
		t.Error("a missing genesis file is trusted")
	}
}

// TestIsLoopback checks which addresses are on this machine.
func TestIsLoopback(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"localhost:50051": true, "127.0.0.1:1": true, "[::1]:1": true, "localhost": true,
		"10.0.0.1:1": false, "node.example:50051": false, "localhost.example:1": false, "0.0.0.0:1": false,
	} {
		if isLoopback(address) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
}
