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
	"makechain/internal/settlement"
	"makechain/internal/store"
)

// Paths in a home, next to those of the consensus engine.
const (
	stateDir       = "data/state"
	snapshotDir    = "data/snapshots"
	importMark     = "data/import-unfinished" // exists while an import is in progress
	genesisFile    = "config/genesis.json"
	homePermission = 0o700
	filePermission = 0o600
)

// HomeInUseError is returned when an operation needs a home in which a node is running.
type HomeInUseError struct {
	Home string
	Err  error // of the lock
}

// Error names the home.
func (e *HomeInUseError) Error() string { return "a node is running in " + e.Home }

// Unwrap returns the error of the lock.
func (e *HomeInUseError) Unwrap() error { return e.Err }

// inUse converts the lock errors of the store and of the consensus engine into a *HomeInUseError.
func inUse(home string, err error) error {
	if errors.Is(err, store.ErrLocked) || errors.Is(err, comet.ErrLocked) {
		return &HomeInUseError{Home: home, Err: err}
	}
	return err
}

// prepareHome initializes a home and returns its genesis: that of the given file, of the file in the home, or of a new
// development chain with one validator and an attester for the faucet.
func prepareHome(home, file string) (*genesis.Genesis, error) {
	path := file
	if path == "" {
		path = filepath.Join(home, genesisFile)
	}
	document, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := comet.Join(home, document); err != nil {
			return nil, fmt.Errorf("join the chain of %s: %w", path, err)
		}
	case file != "" || !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read genesis: %w", err)
	}
	if err := checkImported(home); err != nil {
		return nil, err
	}
	g, err := comet.Genesis(home)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return g, err
	}
	attesterFile := filepath.Join(home, settlement.KeyFile)
	if err := os.MkdirAll(filepath.Dir(attesterFile), homePermission); err != nil {
		return nil, fmt.Errorf("create home %s: %w", home, err)
	}
	attester, err := settlement.LoadAttester(attesterFile, rand.Reader)
	if err != nil {
		return nil, err
	}
	var suffix [4]byte // development chains have different IDs, so that they do not exchange blocks
	if _, err := rand.Read(suffix[:]); err != nil {
		return nil, fmt.Errorf("choose a chain ID: %w", err)
	}
	err = comet.Init(home, genesis.Genesis{
		ChainID:    "makechain-devnet-" + hex.EncodeToString(suffix[:]),
		Network:    pb.Network_NETWORK_DEVNET,
		Settlement: settlement.FaucetSettlement(attester.Key()),
	})
	if err != nil {
		return nil, err
	}
	return comet.Genesis(home)
}

// homeGenesis returns the genesis of a home, or comet.ErrNoChain.
func homeGenesis(home string) (*genesis.Genesis, error) {
	g, err := comet.Genesis(home)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", comet.ErrNoChain, home)
	}
	return g, err
}

// checkImported returns ErrUnfinished for a home in which an import was interrupted.
func checkImported(home string) error {
	_, err := os.Stat(filepath.Join(home, importMark))
	if err == nil {
		return fmt.Errorf("%w: %s", ErrUnfinished, home)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("check for an unfinished import: %w", err)
}

// removeState removes the state and the chain of a home, and keeps its keys and genesis.
func removeState(home string) error {
	return errors.Join(os.RemoveAll(filepath.Join(home, stateDir)), comet.RemoveChain(home))
}
