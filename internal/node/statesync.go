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
	"makechain/internal/snapshot"
	"makechain/internal/store"
	"makechain/proof/finality"
)

// newRestorer returns a restorer for an empty store.
func newRestorer(s *store.Store) *snapshot.Restorer {
	return snapshot.NewRestorer(func() (snapshot.Target, error) { return s.Restore() })
}

// stateSyncSource returns the light blocks that the engine needs for state sync. It returns nil when state sync is not
// configured, or when there is a state already.
func (n *Node) stateSyncSource(ctx context.Context, height uint64) (comet.LightBlockSource, error) {
	config := n.config.StateSync
	if config == nil || height > 0 {
		return nil, nil
	}
	if len(config.Sources) == 0 {
		return nil, errors.New("state sync: no node that provides light blocks is configured")
	}
	trusted := finality.TrustedBlock{ChainID: n.genesis.ChainID, Number: config.Trust.Number, Hash: config.Trust.Hash}
	client, err := finality.NewLightClient(ctx, trusted, config.Sources[0], finality.Options{Now: time.Now, Witnesses: config.Sources[1:]})
	if err != nil {
		return nil, fmt.Errorf("state sync: %w", err)
	}
	n.config.Log.Info("starting state sync", "trusted", trusted.Number)
	return &lightBlockSource{log: n.config.Log, client: client}, nil
}

// lightBlockSource is a light client for several goroutines. It logs why a light block is not available.
type lightBlockSource struct {
	log *slog.Logger

	mu     sync.Mutex
	client *finality.LightClient // guarded by mu
}

func (s *lightBlockSource) LightBlock(ctx context.Context, number uint64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	light, err := s.client.LightBlock(ctx, number)
	switch {
	case errors.Is(err, finality.ErrNotFound): // for example after the newest snapshot of an idle chain
		s.log.Info("a light block for state sync does not exist yet", "block", number)
	case err != nil:
		s.log.Warn("a light block for state sync cannot be trusted", "block", number, "reason", err)
	}
	return light, err
}

// progressInterval is the time between two log lines about a state tree that is being built.
const progressInterval = 5 * time.Second

// storeOptions returns the options of a node's store. Building the tree of a large state takes minutes, so it is logged.
func storeOptions(log *slog.Logger) store.Options {
	next := time.Now().Add(progressInterval)
	return store.Options{Log: log, Progress: func(rows int) {
		if now := time.Now(); log != nil && now.After(next) {
			next = now.Add(progressInterval)
			log.Info("building the state tree", "rows", rows)
		}
	}}
}

// openStore opens the state of a home. It removes a restored state after which the engine cannot continue, because the node
// crashed before the engine was bootstrapped: state sync is repeated.
func (n *Node) openStore() (*store.Store, error) {
	path := filepath.Join(n.config.Home, stateDir)
	options := storeOptions(n.config.Log)
	options.TreeMemoryRows = n.config.TreeRows
	s, err := store.Open(path, options)
	if err != nil || n.config.StateSync == nil {
		return s, inUse(n.config.Home, err)
	}
	restored, err := s.RestoredHeight()
	latest := s.Snapshot()
	height := latest.Height()
	err = errors.Join(err, latest.Close())
	resume, resumeErr := comet.ResumeHeight(n.config.Home)
	switch err = errors.Join(err, resumeErr); {
	case err != nil:
		return nil, errors.Join(err, s.Close())
	case restored == 0 || restored != height || resume > 0:
		return s, nil
	}
	n.config.Log.Warn("state sync was interrupted; repeating it", "height", height)
	if err := errors.Join(s.Close(), removeState(n.config.Home)); err != nil {
		return nil, err
	}
	return store.Open(path, options)
}
