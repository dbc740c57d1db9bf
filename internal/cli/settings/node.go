// Package settings has the flags of nodes and gateways, which can also be set by the configuration file of a home.
package settings

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/client"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/gateway"
	"makechain/internal/node"
)

// NodeFlags are the flags of a node. Each flag but --home is also a key of the configuration file.
type NodeFlags struct {
	Home string
	GRPC string

	config  node.Config
	serving ServerFlags
	sync    stateSyncFlags
	logs    LogFlags
}

// Register adds the flags to a command.
func (n *NodeFlags) Register(flags *pflag.FlagSet) {
	config := &n.config
	flags.StringVar(&n.Home, HomeFlag, node.DefaultHome, "directory of keys, configuration and data")
	flags.StringVar(&config.Genesis, "genesis", "", "genesis file of the chain to join (default that of the home)")
	flags.StringVar(&n.GRPC, "grpc-addr", client.DefaultTarget, "address for gRPC, gRPC-web and Connect")
	flags.StringVar(&config.RESTAddr, "rest-addr", gateway.DefaultAddr, "address for REST; '' for none")
	n.serving.Register(flags)
	flags.StringVar(&config.MetricsAddr, "metrics-addr", "", "address for Prometheus metrics (default off)")
	flags.BoolVar(&config.Profiles, "profiles", false, "serve pprof profiles with the metrics, on loopback addresses only")
	flags.StringVar(&config.P2PAddr, "p2p-addr", node.DefaultP2P, "address for other nodes")
	flags.StringSliceVar(&config.Peers, "peers", nil, "persistent peers, as id@host:port")
	n.sync.register(flags)
	flags.DurationVar(&config.BlockInterval, "block-interval", comet.DefaultBlockInterval, "pause between blocks")
	flags.Uint64Var(&config.SnapshotEvery, "snapshot-every", node.DefaultSnapshotEvery, "blocks between two snapshots of the state (0 takes none)")
	flags.Uint64Var(&config.RetainBlocks, "retain-blocks", 0,
		fmt.Sprintf("newest blocks to keep, at least %d and three times --snapshot-every (0 keeps all)", node.MinRetainBlocks))
	flags.BoolVar(&config.Faucet, "faucet", true, "grant storage to everyone, on DEVNET only")
	n.logs.Register(flags)
}

// Config returns the configuration that the flags, the environment and the file of the home describe.
func (n *NodeFlags) Config(command *cobra.Command) (node.Config, error) {
	if err := FromFile(command, n.Home); err != nil {
		return node.Config{}, err
	}
	log, err := n.logs.Logger(command.ErrOrStderr())
	if err != nil {
		return node.Config{}, err
	}
	config := n.config
	config.Home, config.Log, config.Version = n.Home, log, Version()
	config.GRPC = n.serving.Server()
	config.GRPC.Addr = n.GRPC
	if config.StateSync, err = n.sync.stateSync(config.Peers); err != nil {
		return node.Config{}, usage.Errorf(command, "%w", err)
	}
	if err := node.CheckRetain(config.RetainBlocks, config.SnapshotEvery); err != nil {
		return node.Config{}, usage.Errorf(command, "--retain-blocks: %w", err)
	}
	if err := n.checkProfiles(); err != nil {
		return node.Config{}, usage.Errorf(command, "--profiles: %w", err)
	}
	return config, nil
}

func (n *NodeFlags) checkProfiles() error {
	if n.config.Profiles && n.config.MetricsAddr == "" {
		return errors.New("profiles are served with the metrics, so --metrics-addr is required")
	}
	return nil
}

// Check returns the errors that would keep a node with these flags from starting, as far as they can be found without
// starting it.
func (n *NodeFlags) Check(command *cobra.Command) []error {
	var faults []error
	note := func(flag string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", usage.Source(command.Flags().Lookup(flag)), err))
		}
	}
	for _, addr := range []struct{ flag, value string }{
		{"grpc-addr", n.GRPC}, {"rest-addr", n.config.RESTAddr}, {"metrics-addr", n.config.MetricsAddr}, {"p2p-addr", n.config.P2PAddr},
	} {
		if addr.value == "" && addr.flag != "grpc-addr" && addr.flag != "p2p-addr" {
			continue // off
		}
		_, err := net.ResolveTCPAddr("tcp", addr.value)
		note(addr.flag, err)
	}
	for _, peer := range n.config.Peers {
		note("peers", checkPeer(peer))
	}
	if _, err := n.sync.stateSync(n.config.Peers); err != nil {
		faults = append(faults, err)
	}
	note("profiles", n.checkProfiles())
	note("retain-blocks", node.CheckRetain(n.config.RetainBlocks, n.config.SnapshotEvery))
	if n.config.BlockInterval <= 0 {
		note("block-interval", fmt.Errorf("%s is not a positive duration", n.config.BlockInterval))
	}
	_, err := n.logs.Logger(command.ErrOrStderr())
	if err != nil {
		faults = append(faults, err)
	}
	note("tls-cert", n.checkCertificate())
	return faults
}

func (n *NodeFlags) checkCertificate() error {
	cert, key := n.serving.config.CertFile, n.serving.config.KeyFile
	if cert == "" && key == "" {
		return nil
	}
	_, err := tls.LoadX509KeyPair(cert, key)
	return err
}

// checkPeer checks the form of a peer only: it may not be running yet.
func checkPeer(peer string) error {
	id, addr, found := strings.Cut(peer, "@")
	_, port, err := net.SplitHostPort(addr)
	if !found || len(id) != peerIDDigits || err != nil || port == "" {
		return fmt.Errorf("%q is not id@host:port", peer)
	}
	return nil
}

// peerIDDigits is the length of a node id in hex digits.
const peerIDDigits = 40

// The names of the flags of state sync.
const (
	stateSyncFlag = "state-sync"
	trustFlag     = "trust"
)

// stateSyncFlags are the flags of state sync.
type stateSyncFlags struct {
	targets []string
	trust   string
}

func (s *stateSyncFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&s.targets, stateSyncFlag, nil,
		"restore the state from --peers instead of executing all blocks; nodes that serve the light blocks, as host:port of gRPC, preferably two or more")
	flags.StringVar(&s.trust, trustFlag, "", "with --state-sync, a block of the chain to trust, as number:hash")
}

// stateSync returns the configuration of state sync, or nil without these flags.
func (s *stateSyncFlags) stateSync(peers []string) (*node.StateSync, error) {
	switch {
	case len(s.targets) == 0 && s.trust == "":
		return nil, nil
	case len(s.targets) == 0:
		return nil, errors.New("--trust is for --state-sync, which names the nodes that serve light blocks")
	case s.trust == "":
		return nil, usage.Advise(errors.New("--state-sync needs --trust"),
			"--trust number:hash of a block of the chain, from makechain block get on a node that you trust")
	case len(peers) == 0:
		return nil, errors.New("--state-sync needs --peers, which serve the snapshots")
	}
	number, hash, err := connection.ParseTrustedBlock(s.trust)
	if err != nil {
		return nil, fmt.Errorf("--trust: %w", err)
	}
	wanted := &node.StateSync{Trust: node.TrustedBlock{Number: number, Hash: hash}}
	for _, target := range s.targets {
		c, err := client.New(target)
		if err != nil {
			return nil, fmt.Errorf("--state-sync: %w", err)
		}
		wanted.Sources = append(wanted.Sources, c)
	}
	return wanted, nil
}
