package testnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File is the name of the file that lists the nodes of a network, in its directory.
const File = "testnet.json"

// Network is the content of File.
type Network struct {
	ChainID string `json:"chain_id"`
	// Local reports whether all nodes run on one machine, on different ports.
	Local bool   `json:"local"`
	Nodes []Node `json:"nodes"` // validators first
}

// Node is a node of a network. Its addresses are host:port, as other nodes and clients reach it.
type Node struct {
	Name      string `json:"name"` // also of its home in the directory
	Validator bool   `json:"validator"`
	ID        string `json:"id"` // CometBFT's node id
	P2P       string `json:"p2p"`
	GRPC      string `json:"grpc"`
	REST      string `json:"rest"`
	Metrics   string `json:"metrics"`

	Home string `json:"-"` // path of its home
}

// Peer returns the node's id and address in the form of --peers.
func (n *Node) Peer() string { return n.ID + "@" + n.P2P }

// Role returns "validator" or "follower".
func (n *Node) Role() string {
	if n.Validator {
		return "validator"
	}
	return "follower"
}

// Peers returns all nodes of the network except one, in the form of --peers.
func (n *Network) Peers(except string) []string {
	var peers []string
	for i := range n.Nodes {
		if n.Nodes[i].Name != except {
			peers = append(peers, n.Nodes[i].Peer())
		}
	}
	return peers
}

// Read reads the network that Init wrote to a directory.
func Read(dir string) (*Network, error) {
	path := filepath.Join(dir, File)
	encoded, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a network: %w", dir, err)
	}
	if err != nil {
		return nil, err
	}
	network := new(Network)
	if err := json.Unmarshal(encoded, network); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range network.Nodes {
		name := network.Nodes[i].Name
		if name != filepath.Base(name) || name == "." || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%s: %q is not a valid node name", path, name)
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
