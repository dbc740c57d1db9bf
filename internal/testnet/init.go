package testnet

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ledger"
	"makechain/internal/settlement"
)

const (
	// MaxNodes is the maximum number of nodes. All of them are connected to one another, and a node accepts 40 inbound
	// peers, so some slots are left for others.
	MaxNodes = 32
	// validatorPower is the voting power of each validator. Its value does not matter, because all have the same.
	validatorPower = 10

	// TestMark is the file that marks a home whose keys were made here, next to those of other validators.
	TestMark = "config/testnet"

	// configFile holds the flags of a node in its home, as makechain node reads it.
	configFile = "config.toml"

	directoryMode = 0o700
	publicMode    = 0o644 // of files that are not secret
)

// Options are the parameters of a network. Only Dir and Validators are required.
type Options struct {
	Dir        string // created if missing; must be empty
	Validators int
	Followers  int
	// BasePort is the first port; each node has ten. 0 selects free ports.
	BasePort int
	// Hosts are the hosts of the nodes, one each, which then all use the same ports. When empty all nodes run on this
	// machine.
	Hosts   []string
	ChainID string     // generated when empty
	Network pb.Network // DEVNET when not set
	// Settlement has the attesters of the chain. Without it, a development chain has faucets on all nodes.
	Settlement    *ledger.Settlement
	BlockInterval time.Duration // of all nodes; 0 for their default
}

// Init creates a network. After an error the directory is empty again.
func Init(options Options) (*Network, error) {
	if err := options.complete(); err != nil {
		return nil, err
	}
	if err := makeEmpty(options.Dir); err != nil {
		return nil, err
	}
	network := &Network{ChainID: options.ChainID, Local: len(options.Hosts) == 0}
	err := options.createNodes(network)
	if err == nil {
		err = network.write(options.Dir)
	}
	if err == nil {
		return network, nil
	}
	for i := range network.Nodes {
		err = errors.Join(err, os.RemoveAll(network.Nodes[i].Home))
	}
	return nil, err
}

// complete validates the options and sets the defaults of those that are not set.
func (o *Options) complete() error {
	count := o.Validators + o.Followers
	switch {
	case o.Validators < 1 || o.Followers < 0 || count > MaxNodes:
		return fmt.Errorf("%d validators and %d followers: want at least one validator and at most %d nodes", o.Validators, o.Followers, MaxNodes)
	case len(o.Hosts) > 0 && len(o.Hosts) != count:
		return fmt.Errorf("%d hosts for %d nodes: want one for each", len(o.Hosts), count)
	case o.BasePort < 0 || o.BasePort > maxPort-count*portsPerNode:
		return fmt.Errorf("base port %d is too high for %d nodes, which need %d ports each", o.BasePort, count, portsPerNode)
	case o.BlockInterval < 0:
		return fmt.Errorf("block interval %v is negative", o.BlockInterval)
	}
	o.Network = cmp.Or(o.Network, pb.Network_NETWORK_DEVNET)
	if o.ChainID == "" {
		var suffix [4]byte // so that nodes of two networks refuse each other
		if _, err := rand.Read(suffix[:]); err != nil {
			return fmt.Errorf("generate a chain id: %w", err)
		}
		o.ChainID = "makechain-net-" + hex.EncodeToString(suffix[:])
	}
	var err error
	if o.BasePort == 0 && len(o.Hosts) == 0 {
		o.BasePort, err = freePorts(count * portsPerNode)
	}
	return err
}

// makeEmpty creates the directory of a network, or fails if it contains anything.
func makeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(dir, directoryMode)
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty", dir)
	default:
		return nil
	}
}

// createNodes creates the homes of all nodes. Genesis is written last, because it contains the keys of all of them.
func (o *Options) createNodes(network *Network) error {
	chain := genesis.Genesis{
		ChainID: o.ChainID, Network: o.Network,
		Time: time.Now().UTC().Truncate(time.Second), Consensus: genesis.DefaultConsensus(),
	}
	if o.Settlement != nil {
		chain.Settlement = *o.Settlement
	}
	for i := range o.Validators + o.Followers {
		name := fmt.Sprintf("node%d", i)
		network.Nodes = append(network.Nodes, Node{Name: name, Validator: i < o.Validators, Home: filepath.Join(o.Dir, name)})
		if err := o.createKeys(i, &network.Nodes[i], &chain); err != nil {
			return err
		}
	}
	for i := range network.Nodes {
		node := &network.Nodes[i]
		if err := o.writeConfig(i, node, network); err != nil {
			return err
		}
		if err := comet.Init(node.Home, chain); err != nil {
			return err
		}
	}
	return nil
}

// createKeys creates the keys of a node and adds their public keys to genesis.
func (o *Options) createKeys(index int, node *Node, chain *genesis.Genesis) error {
	identity, err := comet.EnsureKeys(node.Home)
	if err != nil {
		return err
	}
	mark := []byte("The keys of this home were made by makechain testnet init. A node of MAINNET does not start with them.\n")
	if err := os.WriteFile(filepath.Join(node.Home, TestMark), mark, publicMode); err != nil {
		return err
	}
	public := o.public(index)
	node.ID = identity.NodeID
	node.P2P, node.GRPC, node.REST, node.Metrics = public.p2p, public.grpc, public.rest, public.metrics
	if node.Validator {
		chain.Validators = append(chain.Validators,
			genesis.Validator{PublicKey: identity.Validator, Power: validatorPower, Name: node.Name})
	}
	if o.Network != pb.Network_NETWORK_DEVNET || o.Settlement != nil {
		return nil
	}
	attester, err := settlement.LoadAttester(filepath.Join(node.Home, settlement.KeyFile), rand.Reader)
	if err != nil {
		return err
	}
	added := settlement.FaucetSettlement(attester.Key())
	added.Attesters = append(chain.Settlement.Attesters, added.Attesters...)
	chain.Settlement = added
	return nil
}

// writeConfig writes the addresses and peers of a node to its config.toml. Every node has all others as persistent peers,
// because each of them may be the only one that is left.
func (o *Options) writeConfig(index int, node *Node, network *Network) error {
	listen := o.listen(index)
	var text strings.Builder
	fmt.Fprintf(&text, "# %s, a %s of %s. The keys are the flags of makechain node.\n", node.Name, node.Role(), network.ChainID)
	for _, setting := range []struct{ key, value string }{
		{"p2p-addr", listen.p2p}, {"grpc-addr", listen.grpc}, {"rest-addr", listen.rest}, {"metrics-addr", listen.metrics},
	} {
		fmt.Fprintf(&text, "%s = %s\n", setting.key, strconv.Quote(setting.value))
	}
	if o.BlockInterval > 0 {
		fmt.Fprintf(&text, "block-interval = %s\n", strconv.Quote(o.BlockInterval.String()))
	}
	if o.Settlement != nil {
		text.WriteString("faucet = false\n")
	}
	text.WriteString("peers = [\n")
	for _, peer := range network.Peers(node.Name) {
		fmt.Fprintf(&text, "  %s,\n", strconv.Quote(peer))
	}
	text.WriteString("]\n")
	return os.WriteFile(filepath.Join(node.Home, configFile), []byte(text.String()), publicMode)
}
