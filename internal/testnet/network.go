package testnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File names the nodes of a network in its directory.
const File = "testnet.json"

// Network is what Init wrote.
type Network struct {
	ChainID string `json:"chain_id"`
	// Local says that all nodes are for one machine, with ports of their own.
	Local bool   `json:"local"`
	Nodes []Node `json:"nodes"` // the validators first
}

// Node is a node of a network. Its addresses are host:port, as others reach it.
type Node struct {
	Name      string `json:"name"` // and that of its home in the directory
	Validator bool   `json:"validator"`
	ID        string `json:"id"` // how its peers know it
	P2P       string `json:"p2p"`
	GRPC      string `json:"grpc"`
	REST      string `json:"rest"`
	Metrics   string `json:"metrics"`

	Home string `json:"-"` // where it lies
}

// Peer is the node as --peers wants it.
func (n *Node) Peer() string { return n.ID + "@" + n.P2P }

// Role is a word for what the node does.
func (n *Node) Role() string {
	if n.Validator {
		return "validator"
	}
	return "follower"
}

// Peers lists the nodes of the network but for one, as --peers wants them.
func (n *Network) Peers(but string) []string {
	var peers []string
	for i := range n.Nodes {
		if n.Nodes[i].Name != but {
			peers = append(peers, n.Nodes[i].Peer())
		}
	}
	return peers
}

// Read tells what Init wrote into a directory.
func Read(dir string) (*Network, error) {
	encoded, err := os.ReadFile(filepath.Join(dir, File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no network: %w", dir, err)
	}
	if err != nil {
		return nil, err
	}
	network := new(Network)
	if err := json.Unmarshal(encoded, network); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, File), err)
	}
	for i := range network.Nodes {
		name := network.Nodes[i].Name
		if name != filepath.Base(name) || name == "." || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%s: %q is no name of a node", filepath.Join(dir, File), name)
		}
		network.Nodes[i].Home = filepath.Join(dir, name)
	}
	return network, nil
}

func (n *Network) write(dir string) error {
	encoded, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, File), append(encoded, '\n'), publicMode)
}
