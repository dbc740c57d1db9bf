package testnet

import (
	"path/filepath"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/clitest"
	"makechain/internal/comet"
)

// TestInitWithoutFaucet checks the genesis of a network whose storage is paid for, and the combinations of flags that are refused.
func TestInitWithoutFaucet(t *testing.T) {
	t.Parallel()
	const first, second = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29", "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c"
	all := []string{
		"--no-faucet", "--settlement-chain-id", "42431", "--contract", "0x5fbdb2315678afecb367f032d93f642f64180aa3",
		"--attesters", first + "=https://a.example," + second + "=https://b.example",
	}
	run := func(dir string, flags ...string) error {
		_, _, err := clitest.Run(t.Context(), New(), append([]string{"init", "--validators", "1", "--base-port", "0", "--out", dir}, flags...)...)
		return err
	}
	for flag, network := range map[string]pb.Network{"devnet": pb.Network_NETWORK_DEVNET, "testnet": pb.Network_NETWORK_TESTNET} {
		dir := filepath.Join(t.TempDir(), "net")
		if err := run(dir, append(all, "--network", flag)...); err != nil {
			t.Fatal(err)
		}
		g, err := comet.Genesis(filepath.Join(dir, "node0"))
		if err != nil {
			t.Fatal(err)
		}
		s := g.Settlement
		if g.Network != network || s.ChainID != 42431 || s.Threshold != 2 || len(s.Attesters) != 2 || s.Attesters[1].URL != "https://b.example" ||
			s.Attesters[0].Key.String() != first || s.Contract.String() != "0x5fbdb2315678afecb367f032d93f642f64180aa3" {
			t.Errorf("genesis is %+v", g)
		}
	}
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{all[:3], "--settlement-chain-id, --contract and --attesters are required"},
		{all[1:], "is for --no-faucet"},
		{[]string{"--network", "testnet"}, "want --no-faucet"},
		{append([]string{"--network", "mainnet"}, all...), "must not be created on one machine"},
		{append([]string{"--network", "moon"}, all...), "is not devnet or testnet"},
		{append(all[:5:5], "--attesters", first), "is not key=URL"},
		{append(all[:5:5], "--attesters", first+"=ftp://a.example"), "url"},
		{append(all[:7:7], "--threshold", "3"), "threshold"},
		{append(all[:3:3], "--contract", "0x00", "--attesters", first+"=https://a.example"), "--contract"},
	} {
		if err := run(filepath.Join(t.TempDir(), "net"), c.flags...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.flags, err, c.want)
		}
	}
}
