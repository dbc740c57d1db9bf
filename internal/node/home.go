package node

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/settlement"
)

// Where things lie in a home, beside what the engine keeps there.
const (
	stateDir       = "data/state"
	snapshotDir    = "data/snapshots"
	attesterFile   = settlement.KeyFile
	importMark     = "data/import-unfinished"
	homePermission = 0o700
	markPermission = 0o600
)

// prepare makes a home ready: one that is empty becomes a development chain of its own, with one validator and
// an attester that the faucet signs with.
func prepare(home string) (*genesis.Genesis, error) {
	if err := checkImported(home); err != nil {
		return nil, err
	}
	g, err := comet.Genesis(home)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return g, err
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(home, attesterFile)), homePermission); err != nil {
		return nil, fmt.Errorf("make home %s: %w", home, err)
	}
	attester, err := settlement.LoadAttester(filepath.Join(home, attesterFile), rand.Reader)
	if err != nil {
		return nil, err
	}
	chainID, err := newChainID()
	if err != nil {
		return nil, err
	}
	err = comet.Init(home, genesis.Genesis{
		ChainID:    chainID,
		Network:    pb.Network_NETWORK_DEVNET,
		Settlement: genesis.Settlement{Attesters: []ident.PublicKey{attester.Key()}, Threshold: 1},
	})
	if err != nil {
		return nil, err
	}
	return comet.Genesis(home)
}

// newChainID names a development chain, so that no two of them take each other's blocks.
func newChainID() (string, error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("name a chain: %w", err)
	}
	return "makechain-devnet-" + hex.EncodeToString(b[:]), nil
}
