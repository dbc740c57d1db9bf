package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/testnet"
)

// The names of flags that are refused on some networks.
const (
	faucetFlag  = "faucet"
	metricsFlag = "metrics-addr"
)

// checkNetwork returns what is refused on the network of the chain: a faucet outside of development chains, and on MAINNET also
// keys of tests and metrics that everybody can read.
func (n *NodeFlags) checkNetwork(command *cobra.Command) []error {
	chain := n.chain()
	if chain == nil || chain.Network == pb.Network_NETWORK_DEVNET {
		return nil
	}
	var faults []error
	flags := command.Flags()
	if n.config.Faucet && flags.Changed(faucetFlag) {
		faults = append(faults, fmt.Errorf("%s: %s is not a development chain, and only those have a faucet",
			usage.Source(flags.Lookup(faucetFlag)), chain.ChainID))
	}
	if chain.Network != pb.Network_NETWORK_MAINNET {
		return faults
	}
	if err := chain.CheckKeys(); err != nil {
		faults = append(faults, err)
	}
	if _, err := os.Stat(filepath.Join(n.Home, testnet.TestMark)); err == nil {
		faults = append(faults, fmt.Errorf("%s: the keys were made by makechain testnet init, on one machine with those of other validators; "+
			"MAINNET needs a new home", filepath.Join(n.Home, testnet.TestMark)))
	} else if !errors.Is(err, fs.ErrNotExist) {
		faults = append(faults, err)
	}
	if exposed(n.config.MetricsAddr) {
		faults = append(faults, fmt.Errorf("%s: %s can be reached from everywhere; want a loopback or private address",
			usage.Source(flags.Lookup(metricsFlag)), n.config.MetricsAddr))
	}
	return faults
}

// chain returns the genesis of the chain that the node would join or continue, or nil when there is none or it is not valid: then
// the node starts a development chain, or returns the error.
func (n *NodeFlags) chain() *genesis.Genesis {
	if n.config.Genesis == "" {
		if g, err := comet.Genesis(n.Home); err == nil {
			return g
		}
		return nil
	}
	document, err := os.ReadFile(n.config.Genesis)
	if err != nil {
		return nil
	}
	if g, err := comet.ParseGenesis(document); err == nil {
		return g
	}
	return nil
}

// exposed reports whether an address accepts connections from outside of this machine and of private networks.
func exposed(addr string) bool {
	if addr == "" {
		return false
	}
	resolved, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return false // is reported as not valid
	}
	ip := resolved.IP
	return len(ip) == 0 || ip.IsUnspecified() || !ip.IsLoopback() && !ip.IsPrivate() && !ip.IsLinkLocalUnicast()
}
