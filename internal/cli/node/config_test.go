package node

import (
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/clitest"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/testnet"
)

// newChain creates a home of a network. Without validators the home's own is the only one.
func newChain(t *testing.T, network pb.Network, validators ...genesis.Validator) string {
	t.Helper()
	home := t.TempDir()
	if err := comet.Init(home, genesis.Genesis{ChainID: "ours", Network: network, Validators: validators}); err != nil {
		t.Fatal(err)
	}
	return home
}

// TestCheckNetwork checks what config check refuses on each network, and that a node does not start with it.
func TestCheckNetwork(t *testing.T) {
	t.Parallel()
	zeros := ident.PublicKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public().(ed25519.PublicKey))
	testKey := []genesis.Validator{{PublicKey: zeros, Power: 1}}
	marked := newChain(t, pb.Network_NETWORK_MAINNET)
	if err := os.WriteFile(filepath.Join(marked, testnet.TestMark), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const devnet, testnetwork, mainnet = pb.Network_NETWORK_DEVNET, pb.Network_NETWORK_TESTNET, pb.Network_NETWORK_MAINNET
	for _, c := range []struct {
		name, home string
		flags      []string
		refused    string // "" for a valid configuration
	}{
		{"development", newChain(t, devnet, testKey...), []string{"--faucet", "--metrics-addr", "0.0.0.0:9090"}, ""},
		{"TESTNET with test keys", newChain(t, testnetwork, testKey...), []string{"--metrics-addr", "0.0.0.0:9090"}, ""},
		{"TESTNET with a faucet", newChain(t, testnetwork), []string{"--faucet"}, "--faucet: ours is not a development chain"},
		{"MAINNET", newChain(t, mainnet), []string{"--metrics-addr", "localhost:9090"}, ""},
		{"MAINNET with metrics in a private network", newChain(t, mainnet), []string{"--metrics-addr", "10.1.2.3:9090"}, ""},
		{"MAINNET without a faucet", newChain(t, mainnet), []string{"--faucet=false"}, ""},
		{"MAINNET with a faucet", newChain(t, mainnet), []string{"--faucet"}, "--faucet: ours is not a development chain"},
		{"MAINNET with a test key", newChain(t, mainnet, testKey...), nil, "genesis: validators[0].public_key: "},
		{"MAINNET with keys of a test network", marked, nil, "config/testnet: the keys were made by makechain testnet init"},
		{"MAINNET with public metrics", newChain(t, mainnet), []string{"--metrics-addr", "0.0.0.0:9090"}, "--metrics-addr: 0.0.0.0:9090 can be reached"},
		{"MAINNET with metrics on all addresses", newChain(t, mainnet), []string{"--metrics-addr", ":9090"}, "--metrics-addr: :9090 can be reached"},
		{"MAINNET with metrics on a public address", newChain(t, mainnet), []string{"--metrics-addr", "192.0.2.1:9090"}, "want a loopback or private address"},
	} {
		stdout, _, err := clitest.Run(t.Context(), NewConfig(), append([]string{"check", "--home", c.home}, c.flags...)...)
		if c.refused == "" {
			if err != nil || stdout != "the configuration is valid\n" {
				t.Errorf("%s: %q, %v", c.name, stdout, err)
			}
			continue
		}
		wrong := (*usage.Error)(nil)
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: config check: %v, want %q", c.name, err, c.refused)
		}
		_, _, err = clitest.Run(t.Context(), New(), append([]string{"--home", c.home, "--grpc-addr", "127.0.0.1:0", "--rest-addr", ""}, c.flags...)...)
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: node: %v, want %q", c.name, err, c.refused)
		}
	}
}
