package testnet_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/testnet"
)

// settings is the content of a config.toml.
type settings struct {
	P2P      string   `toml:"p2p-addr"`
	GRPC     string   `toml:"grpc-addr"`
	REST     string   `toml:"rest-addr"`
	Metrics  string   `toml:"metrics-addr"`
	Interval string   `toml:"block-interval"`
	Peers    []string `toml:"peers"`
}

func readSettings(t *testing.T, home string) (read settings) {
	t.Helper()
	meta, err := toml.DecodeFile(filepath.Join(home, "config.toml"), &read)
	if err != nil {
		t.Fatal(err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		t.Errorf("config.toml has unexpected keys %v", unknown)
	}
	return read
}

// TestInit checks every file of a network on one machine.
func TestInit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "net")
	made, err := testnet.Init(testnet.Options{Dir: dir, Validators: 4, Followers: 2, BasePort: 20_000, BlockInterval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	read, err := testnet.Read(dir)
	if err != nil || !reflect.DeepEqual(made, read) {
		t.Fatalf("read back %+v, %v, want %+v", read, err, made)
	}
	chain, err := comet.Genesis(read.Nodes[0].Home)
	if err != nil {
		t.Fatal(err)
	}
	if chain.ChainID != read.ChainID || chain.Network != pb.Network_NETWORK_DEVNET || len(chain.Validators) != 4 || len(chain.Settlement.Attesters) != 6 {
		t.Errorf("genesis is %+v", chain)
	}
	for i := range read.Nodes {
		node := &read.Nodes[i]
		own, err := comet.Genesis(node.Home)
		if err != nil || own.Difference(chain) != "" {
			t.Errorf("the genesis of %s differs from that of node0: %v", node.Name, err)
		}
		identity, err := comet.EnsureKeys(node.Home)
		if err != nil || identity.NodeID != node.ID {
			t.Errorf("%s has id %s in its home and id %s in %s: %v", node.Name, identity.NodeID, node.ID, testnet.File, err)
		}
		if node.Validator != (i < 4) || node.Validator && chain.Validators[i].PublicKey != identity.Validator {
			t.Errorf("%s differs from its entry in genesis: %+v", node.Name, node)
		}
		want := settings{node.P2P, node.GRPC, node.REST, node.Metrics, "1s", read.Peers(node.Name)}
		if got := readSettings(t, node.Home); !reflect.DeepEqual(got, want) {
			t.Errorf("config.toml of %s is %+v, want %+v", node.Name, got, want)
		}
		if peers := read.Peers(node.Name); len(peers) != 5 || slices.Contains(peers, node.Peer()) {
			t.Errorf("the peers of %s are %v", node.Name, peers)
		}
	}
	if got, want := read.Nodes[5].GRPC, "127.0.0.1:20051"; got != want {
		t.Errorf("the last node has gRPC address %s, want %s", got, want)
	}
}

// TestFileModes checks that secret files and directories of a network are accessible to their owner only.
func TestFileModes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "net")
	if _, err := testnet.Init(testnet.Options{Dir: dir, Validators: 2}); err != nil {
		t.Fatal(err)
	}
	secrets := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && info.Mode().Perm() != 0o700:
			t.Errorf("%s has mode %v", path, info.Mode())
		case strings.Contains(entry.Name(), "key") || strings.Contains(entry.Name(), "priv"):
			secrets++
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
		}
		return nil
	})
	if err != nil || secrets != 2*4 {
		t.Errorf("found %d secret files, want 8: %v", secrets, err)
	}
}

// TestInitHosts checks the homes of nodes on separate hosts.
func TestInitHosts(t *testing.T) {
	t.Parallel()
	made, err := testnet.Init(testnet.Options{
		Dir: t.TempDir(), Validators: 2, Hosts: []string{"a.example", "2001:db8::1"}, Network: pb.Network_NETWORK_TESTNET, ChainID: "example",
	})
	if err != nil {
		t.Fatal(err)
	}
	if made.Local || made.ChainID != "example" || made.Nodes[1].P2P != "[2001:db8::1]:26656" {
		t.Errorf("the network is %+v", made)
	}
	want := settings{"0.0.0.0:26656", "0.0.0.0:50051", "0.0.0.0:8080", "127.0.0.1:26660", "", []string{made.Nodes[0].ID + "@a.example:26656"}}
	if got := readSettings(t, made.Nodes[1].Home); !reflect.DeepEqual(got, want) {
		t.Errorf("config.toml of node1 is %+v, want %+v", got, want)
	}
	chain, err := comet.Genesis(made.Nodes[0].Home)
	if err != nil || len(chain.Settlement.Attesters) != 0 {
		t.Errorf("attesters of a network that is not DEVNET: %+v, %v", chain.Settlement, err)
	}
}

// TestInitErrors checks that Init rejects invalid options and leaves the directory empty.
func TestInitErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options testnet.Options
		want    string
	}{
		"no validator": {testnet.Options{Followers: 1}, "want at least one validator"},
		"negative":     {testnet.Options{Validators: 2, Followers: -1}, "want at least one validator"},
		"too many":     {testnet.Options{Validators: testnet.MaxNodes, Followers: 1}, "at most 32"},
		"hosts":        {testnet.Options{Validators: 2, Hosts: []string{"a"}}, "1 hosts for 2 nodes"},
		"port":         {testnet.Options{Validators: 2, BasePort: 65_530}, "too high"},
		"interval":     {testnet.Options{Validators: 1, BlockInterval: -1}, "negative"},
		"chain id":     {testnet.Options{Validators: 1, ChainID: "a b"}, "chain_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.options.Dir = t.TempDir()
			if _, err := testnet.Init(test.options); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if entries, err := os.ReadDir(test.options.Dir); err != nil || len(entries) > 0 {
				t.Errorf("the directory contains %v, %v", entries, err)
			}
		})
	}
}

// TestInitNotEmpty checks that Init does not write to a directory that is not empty.
func TestInitNotEmpty(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := testnet.Init(testnet.Options{Dir: dir, Validators: 1}); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("got %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory contains %v, %v", entries, err)
	}
}

// TestReadErrors checks that Read rejects directories without a valid network.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ content, want string }{
		"not JSON":      {"{", "unexpected end"},
		"foreign paths": {`{"nodes":[{"name":"../elsewhere"}]}`, "not a valid node name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, testnet.File), []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := testnet.Read(dir); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	if _, err := testnet.Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not a network") {
		t.Errorf("reading an empty directory: %v", err)
	}
}
