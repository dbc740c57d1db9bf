package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"makechain/internal/comet"
	"makechain/internal/store"
	"makechain/proof/finality"
)

// StateSync says how a node that has no state takes over that of its peers. It goes on after the block of their newest
// snapshot.
type StateSync struct {
	// Trust is a block of the chain that somebody vouches for.
	Trust TrustedBlock
	// Sources have the headers that lead from there to the snapshot, and are nodes of the chain. They need not be
	// trusted; the more there are, the less can one of them hide a fork.
	Sources []finality.Provider
}

// stateSource gives the engine the headers to believe when there is no state yet, and nil when there is.
func (n *Node) stateSource(ctx context.Context, height uint64) (comet.LightBlockSource, error) {
	wanted := n.config.StateSync
	if wanted == nil || height > 0 {
		return nil, nil
	}
	if len(wanted.Sources) == 0 {
		return nil, errors.New("state sync: no node to ask for headers")
	}
	anchor := finality.TrustedBlock{ChainID: n.genesis.ChainID, Number: wanted.Trust.Number, Hash: wanted.Trust.Hash}
	follower, err := finality.NewLightClient(ctx, anchor, wanted.Sources[0], finality.Options{Now: time.Now, Witnesses: wanted.Sources[1:]})
	if err != nil {
		return nil, fmt.Errorf("state sync: %w", err)
	}
	n.config.Log.Info("taking over the state of others", "trusted", anchor.Number)
	return &followed{log: n.config.Log, follower: follower}, nil
}

// followed is a light client for several goroutines.
type followed struct {
	log *slog.Logger

	mu       sync.Mutex
	follower *finality.LightClient // guarded by mu
}

func (f *followed) LightBlock(ctx context.Context, number uint64) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	light, err := f.follower.LightBlock(ctx, number)
	switch {
	case errors.Is(err, finality.ErrNotFound): // as for the newest snapshot of a chain at rest
		f.log.Info("a header for state sync is not there yet", "block", number)
	case err != nil:
		f.log.Warn("a header for state sync is not to be trusted", "block", number, "reason", err)
	}
	return light, err
}

// openStore opens the state of a home. One that was taken over, but after which the engine cannot go on because the node
// died in between, is dropped: it is taken over again.
func (n *Node) openStore() (*store.Store, error) {
	path := filepath.Join(n.config.Home, stateDir)
	state, err := store.Open(path, store.Options{Log: n.config.Log})
	if err != nil || n.config.StateSync == nil {
		return state, err
	}
	origin, err := state.RestoredHeight()
	latest := state.Snapshot()
	height := latest.Height()
	err = errors.Join(err, latest.Close())
	decided, errDecided := comet.ResumeHeight(n.config.Home)
	switch err = errors.Join(err, errDecided); {
	case err != nil:
		return nil, errors.Join(err, state.Close())
	case origin == 0 || origin != height || decided > 0:
		return state, nil
	}
	n.config.Log.Warn("the state was taken over only in part; once more", "height", height)
	if err := errors.Join(state.Close(), clearChain(n.config.Home)); err != nil {
		return nil, err
	}
	return store.Open(path, store.Options{Log: n.config.Log})
}
