package node

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/settlement"
)

// newFaucet makes the faucet, nil where there is none: beyond DEVNET, and on a node whose word genesis does not take,
// such as one that joined a chain of others.
func (n *Node) newFaucet() (*settlement.Faucet, error) {
	if !n.config.Faucet || n.genesis.Network != pb.Network_NETWORK_DEVNET || n.genesis.Settlement.Threshold != 1 {
		return nil, nil
	}
	path := filepath.Join(n.config.Home, settlement.KeyFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	attester, err := settlement.LoadAttester(path, rand.Reader)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(n.genesis.Settlement.Attesters, attester.Key()) {
		return nil, nil
	}
	return &settlement.Faucet{Attester: attester, Submit: n.pool.Submit, Now: time.Now, Random: rand.Reader}, nil
}
