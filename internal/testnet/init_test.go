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

// settings are what a home's config.toml says.
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
		t.Errorf("config.toml also says %v", unknown)
	}
	return read
}

// TestInit makes a network on one machine and looks at every file of it.
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
	began, err := comet.Genesis(read.Nodes[0].Home)
	if err != nil {
		t.Fatal(err)
	}
	if began.ChainID != read.ChainID || began.Network != pb.Network_NETWORK_DEVNET || len(began.Validators) != 4 || len(began.Settlement.Attesters) != 6 {
		t.Errorf("genesis is %+v", began)
	}
	for i := range read.Nodes {
		node := &read.Nodes[i]
		own, err := comet.Genesis(node.Home)
		if err != nil || own.Difference(began) != "" {
			t.Errorf("%s has another genesis: %v", node.Name, err)
		}
		identity, err := comet.EnsureKeys(node.Home)
		if err != nil || identity.NodeID != node.ID {
			t.Errorf("%s has the id %s in its home and %s in %s: %v", node.Name, identity.NodeID, node.ID, testnet.File, err)
		}
		if node.Validator != (i < 4) || node.Validator && began.Validators[i].PublicKey != identity.Validator {
			t.Errorf("%s is no validator of genesis: %+v", node.Name, node)
		}
		want := settings{node.P2P, node.GRPC, node.REST, node.Metrics, "1s", read.Peers(node.Name)}
		if got := readSettings(t, node.Home); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is told %+v, want %+v", node.Name, got, want)
		}
		if peers := read.Peers(node.Name); len(peers) != 5 || slices.Contains(peers, node.Peer()) {
			t.Errorf("%s has the peers %v", node.Name, peers)
		}
	}
	if got, want := read.Nodes[5].GRPC, "127.0.0.1:20051"; got != want {
		t.Errorf("the last node serves at %s, want %s", got, want)
	}
}

// TestSecretsArePrivate looks at the modes of all files of a network.
func TestSecretsArePrivate(t *testing.T) {
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
		t.Errorf("found %d secrets, want 8: %v", secrets, err)
	}
}

// TestInitHosts makes homes for machines of their own.
func TestInitHosts(t *testing.T) {
	t.Parallel()
	made, err := testnet.Init(testnet.Options{
		Dir: t.TempDir(), Validators: 2, Hosts: []string{"a.example", "2001:db8::1"}, Network: pb.Network_NETWORK_TESTNET, ChainID: "ours",
	})
	if err != nil {
		t.Fatal(err)
	}
	if made.Local || made.ChainID != "ours" || made.Nodes[1].P2P != "[2001:db8::1]:26656" {
		t.Errorf("made %+v", made)
	}
	want := settings{"0.0.0.0:26656", "0.0.0.0:50051", "0.0.0.0:8080", "127.0.0.1:26660", "", []string{made.Nodes[0].ID + "@a.example:26656"}}
	if got := readSettings(t, made.Nodes[1].Home); !reflect.DeepEqual(got, want) {
		t.Errorf("node1 is told %+v, want %+v", got, want)
	}
	began, err := comet.Genesis(made.Nodes[0].Home)
	if err != nil || len(began.Settlement.Attesters) != 0 {
		t.Errorf("a network that is no DEVNET has attesters: %+v, %v", began, err)
	}
}

// TestInitRefuses tries what cannot be made.
func TestInitRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options testnet.Options
		want    string
	}{
		"no validator":      {testnet.Options{Followers: 1}, "want a validator"},
		"negative":          {testnet.Options{Validators: 2, Followers: -1}, "want a validator"},
		"too many":          {testnet.Options{Validators: testnet.MaxNodes, Followers: 1}, "at most 32"},
		"hosts":             {testnet.Options{Validators: 2, Hosts: []string{"a"}}, "1 hosts for 2 nodes"},
		"port":              {testnet.Options{Validators: 2, BasePort: 65_530}, "no room"},
		"interval":          {testnet.Options{Validators: 1, BlockInterval: -1}, "negative"},
		"name of the chain": {testnet.Options{Validators: 1, ChainID: "a b"}, "chain_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.options.Dir = t.TempDir()
			if _, err := testnet.Init(test.options); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if entries, err := os.ReadDir(test.options.Dir); err != nil || len(entries) > 0 {
				t.Errorf("the directory holds %v, %v", entries, err)
			}
		})
	}
}

// TestInitKeeps never writes where something is already.
func TestInitKeeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := testnet.Init(testnet.Options{Dir: dir, Validators: 1}); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("got %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v", entries, err)
	}
}

// TestReadRefuses reads directories that hold no network.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ content, want string }{
		"no JSON":       {"{", "unexpected end"},
		"foreign paths": {`{"nodes":[{"name":"../elsewhere"}]}`, "no name of a node"},
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
	if _, err := testnet.Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no network") {
		t.Errorf("an empty directory: %v", err)
	}
}
