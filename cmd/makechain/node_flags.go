package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/internal/comet"
	"makechain/internal/gateway"
	"makechain/internal/node"
)

// nodeFlags say how a node runs. Each flag but --home is also a key of the configuration file.
type nodeFlags struct {
	grpc    string
	config  node.Config
	serving serverFlags
	sync    stateSyncFlags
	logs    logFlags
}

func (n *nodeFlags) register(flags *pflag.FlagSet) {
	config := &n.config
	flags.StringVar(&config.Home, homeFlag, node.DefaultHome, "directory of keys, configuration and data")
	flags.StringVar(&config.Genesis, "genesis", "", "genesis file of the chain to join (default that of the home)")
	flags.StringVar(&n.grpc, "grpc-addr", node.DefaultGRPC, "address for gRPC, gRPC-web and Connect")
	flags.StringVar(&config.RESTAddr, "rest-addr", gateway.DefaultAddr, "address for REST; '' for none")
	n.serving.register(flags)
	flags.StringVar(&config.MetricsAddr, "metrics-addr", "", "address for Prometheus metrics (default off)")
	flags.BoolVar(&config.Profiles, "profiles", false, "serve profiles of the program beside metrics, on a loopback address alone")
	flags.StringVar(&config.P2PAddr, "p2p-addr", node.DefaultP2P, "address for other nodes")
	flags.StringSliceVar(&config.Peers, "peers", nil, "nodes to stay connected with, as id@host:port")
	n.sync.register(flags)
	flags.DurationVar(&config.BlockInterval, "block-interval", comet.DefaultBlockInterval, "pause between blocks")
	flags.Uint64Var(&config.SnapshotEvery, "snapshot-every", node.DefaultSnapshotEvery, "blocks between two snapshots of the state (0 takes none)")
	flags.Uint64Var(&config.RetainBlocks, "retain-blocks", 0,
		fmt.Sprintf("newest blocks to keep, at least %d and three times --snapshot-every (0 keeps all)", node.MinRetainBlocks))
	flags.BoolVar(&config.Faucet, "faucet", true, "give storage away, on DEVNET alone")
	n.logs.register(flags)
}

// node is the configuration that the flags, the environment and the file describe.
func (n *nodeFlags) node(command *cobra.Command) (node.Config, error) {
	if err := fromFile(command, n.config.Home); err != nil {
		return node.Config{}, err
	}
	log, err := n.logs.logger(command.ErrOrStderr())
	if err != nil {
		return node.Config{}, err
	}
	config := n.assemble(log)
	if config.StateSync, err = n.sync.stateSync(config.Peers); err != nil {
		return node.Config{}, misused(command, "%w", err)
	}
	if err := node.CheckRetain(config.RetainBlocks, config.SnapshotEvery); err != nil {
		return node.Config{}, misused(command, "--retain-blocks: %w", err)
	}
	if err := n.checkProfiles(); err != nil {
		return node.Config{}, misused(command, "--profiles: %w", err)
	}
	return config, nil
}

func (n *nodeFlags) checkProfiles() error {
	if n.config.Profiles && n.config.MetricsAddr == "" {
		return errors.New("they are served beside metrics, so --metrics-addr is needed")
	}
	return nil
}

func (n *nodeFlags) assemble(log *slog.Logger) node.Config {
	config := n.config
	config.GRPC = n.serving.server()
	config.GRPC.Addr = n.grpc
	config.Log, config.Version = log, programVersion()
	return config
}

// faults are what would keep a node with these flags from starting, as far as that can be told without starting it.
func (n *nodeFlags) faults(command *cobra.Command) []error {
	var faults []error
	note := func(flag string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", sourceOf(command.Flags().Lookup(flag)), err))
		}
	}
	for _, addr := range []struct{ flag, value string }{
		{"grpc-addr", n.grpc}, {"rest-addr", n.config.RESTAddr}, {"metrics-addr", n.config.MetricsAddr}, {"p2p-addr", n.config.P2PAddr},
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
		note("block-interval", fmt.Errorf("%s is not a pause", n.config.BlockInterval))
	}
	_, err := n.logs.logger(command.ErrOrStderr())
	if err != nil {
		faults = append(faults, err)
	}
	note("tls-cert", n.checkCertificate())
	return faults
}

func (n *nodeFlags) checkCertificate() error {
	cert, key := n.serving.config.CertFile, n.serving.config.KeyFile
	if cert == "" && key == "" {
		return nil
	}
	_, err := tls.LoadX509KeyPair(cert, key)
	return err
}

// checkPeer looks at the form of a peer alone: it may not be up yet.
func checkPeer(peer string) error {
	id, addr, found := strings.Cut(peer, "@")
	_, port, err := net.SplitHostPort(addr)
	if !found || len(id) != peerIDDigits || err != nil || port == "" {
		return fmt.Errorf("%q is not id@host:port", peer)
	}
	return nil
}

// peerIDDigits is how many hex digits name a node to its peers.
const peerIDDigits = 40
