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
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/settlement"
)

const (
	// MaxNodes leaves room for others: all nodes are connected, and each takes 40 connections that it did not ask for.
	MaxNodes = 32
	// validatorPower is the weight of each validator. All have the same, so any number would do.
	validatorPower = 10

	directoryMode = 0o700
	publicMode    = 0o644 // of what is no secret, were the directory not closed
)

// Options say what network to make. Only Dir and Validators are needed.
type Options struct {
	Dir        string // made if need be; must be empty
	Validators int
	Followers  int
	// BasePort is the first of the ports, of which each node has ten. 0 takes ports that are free.
	BasePort int
	// Hosts are the machines of the nodes, one each, which then all use the same ports. None means this machine.
	Hosts         []string
	ChainID       string        // made up when empty
	Network       pb.Network    // DEVNET when not set
	BlockInterval time.Duration // of all nodes; 0 leaves it to them
}

// Init makes a network. After an error the directory is as empty as before.
func Init(options Options) (*Network, error) {
	if err := options.complete(); err != nil {
		return nil, err
	}
	if err := makeEmpty(options.Dir); err != nil {
		return nil, err
	}
	network := &Network{ChainID: options.ChainID, Local: len(options.Hosts) == 0}
	err := options.fill(network)
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

// fill makes the nodes of a network. Genesis comes last, because it names the keys of all.
func (o *Options) fill(network *Network) error {
	began := genesis.Genesis{
		ChainID: o.ChainID, Network: o.Network,
		Time: time.Now().UTC().Truncate(time.Second), Consensus: genesis.DefaultConsensus(),
	}
	for i := range o.Validators + o.Followers {
		name := fmt.Sprintf("node%d", i)
		network.Nodes = append(network.Nodes, Node{Name: name, Validator: i < o.Validators, Home: filepath.Join(o.Dir, name)})
		if err := o.makeNode(i, &network.Nodes[i], &began); err != nil {
			return err
		}
	}
	for i := range network.Nodes {
		node := &network.Nodes[i]
		if err := o.writeConfig(i, node, network); err != nil {
			return err
		}
		if err := comet.Init(node.Home, began); err != nil {
			return err
		}
	}
	return nil
}

// complete checks the options and fills what they leave out.
func (o *Options) complete() error {
	count := o.Validators + o.Followers
	switch {
	case o.Validators < 1 || o.Followers < 0 || count > MaxNodes:
		return fmt.Errorf("%d validators and %d followers: want a validator, and at most %d nodes", o.Validators, o.Followers, MaxNodes)
	case len(o.Hosts) > 0 && len(o.Hosts) != count:
		return fmt.Errorf("%d hosts for %d nodes", len(o.Hosts), count)
	case o.BasePort < 0 || o.BasePort > maxPort-count*portsPerNode:
		return fmt.Errorf("port %d leaves no room for %d nodes", o.BasePort, count)
	case o.BlockInterval < 0:
		return fmt.Errorf("block interval %v is negative", o.BlockInterval)
	}
	o.Network = cmp.Or(o.Network, pb.Network_NETWORK_DEVNET)
	var err error
	if o.ChainID == "" {
		o.ChainID, err = newChainID()
	}
	if err == nil && o.BasePort == 0 && len(o.Hosts) == 0 {
		o.BasePort, err = freePorts(count * portsPerNode)
	}
	return err
}

// newChainID names a network, so that no two of them take each other's blocks.
func newChainID() (string, error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("name a chain: %w", err)
	}
	return "makechain-net-" + hex.EncodeToString(b[:]), nil
}

// makeEmpty makes the directory of a network. One with something in it may hold keys that somebody needs.
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

// makeNode makes the keys of a node, and has genesis name them.
func (o *Options) makeNode(index int, node *Node, began *genesis.Genesis) error {
	identity, err := comet.EnsureKeys(node.Home)
	if err != nil {
		return err
	}
	node.ID = identity.NodeID
	node.P2P, node.GRPC, node.REST, node.Metrics = o.reached(index).all()
	if node.Validator {
		began.Validators = append(began.Validators,
			genesis.Validator{PublicKey: identity.Validator, Power: validatorPower, Name: node.Name})
	}
	if o.Network != pb.Network_NETWORK_DEVNET {
		return nil
	}
	attester, err := settlement.LoadAttester(filepath.Join(node.Home, settlement.KeyFile), rand.Reader)
	if err != nil {
		return err
	}
	began.Settlement.Attesters = append(began.Settlement.Attesters, attester.Key())
	began.Settlement.Threshold = 1
	return nil
}
