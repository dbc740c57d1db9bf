package fill

import (
	"errors"
	"fmt"
	"path/filepath"

	dbm "github.com/cometbft/cometbft-db"
	sm "github.com/cometbft/cometbft/state"

	"makechain/internal/comet"
	"makechain/internal/store"
)

// Idle reports whether the chain of a stopped node has blocks and nothing to propose: its last block did not change the state. Only
// such a chain can be filled, because its validator has not signed anything that has the root before the fill.
func Idle(home string) (idle bool, err error) {
	blocks, err := comet.OpenBlocks(home)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, blocks.Close()) }()
	s, err := store.Open(filepath.Join(home, StateDir), store.Options{})
	if err != nil {
		return false, err
	}
	latest := s.Snapshot()
	height, root := latest.Height(), latest.Root()
	if err := errors.Join(latest.Close(), s.Close()); err != nil || height == 0 || height != blocks.Height() {
		return false, err
	}
	last, err := blocks.Header(height)
	return last.RootBefore == root, err
}

// setAppHash sets the app hash in CometBFT's state, which the header of the next block will have.
func setAppHash(home string, filled *Result) (err error) {
	db, err := dbm.NewDB("state", dbm.GoLevelDBBackend, filepath.Join(home, "data"))
	if err != nil {
		return fmt.Errorf("open CometBFT's state: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	states := sm.NewStore(db, sm.StoreOptions{DiscardABCIResponses: true})
	state, err := states.Load()
	if err != nil {
		return fmt.Errorf("read CometBFT's state: %w", err)
	}
	if state.IsEmpty() || uint64(state.LastBlockHeight) != filled.Height {
		return fmt.Errorf("CometBFT's state has height %d, the store has %d: stop the node when it is idle", state.LastBlockHeight, filled.Height)
	}
	state.AppHash = filled.Root[:]
	if err := states.Save(state); err != nil {
		return fmt.Errorf("write CometBFT's state: %w", err)
	}
	return nil
}
