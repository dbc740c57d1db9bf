package comet

import (
	"context"
	"errors"
	"sync"
	"time"

	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/statesync"
	"github.com/cometbft/cometbft/types"

	"makechain/internal/genesis"
)

// discoveryTime is how long the engine discovers snapshots of its peers before it chooses one. It is CometBFT's minimum.
const discoveryTime = 5 * time.Second

// LightBlockSource returns verified light blocks. It returns an error when a light block does not exist or cannot be trusted.
type LightBlockSource interface {
	LightBlock(ctx context.Context, number uint64) ([]byte, error)
}

// stateProvider implements CometBFT's statesync.StateProvider by checkpoints.
type stateProvider struct {
	source  LightBlockSource
	genesis *genesis.Genesis

	mu         sync.Mutex
	checkpoint *Checkpoint // of the last call; guarded by mu
}

var _ statesync.StateProvider = (*stateProvider)(nil)

// AppHash returns the root after a block.
func (p *stateProvider) AppHash(ctx context.Context, height uint64) ([]byte, error) {
	checkpoint, err := p.checkpointAt(ctx, height)
	if err != nil {
		return nil, err
	}
	return checkpoint.current.AppHash, nil
}

// Commit returns the signatures of a block.
func (p *stateProvider) Commit(ctx context.Context, height uint64) (*types.Commit, error) {
	checkpoint, err := p.checkpointAt(ctx, height)
	if err != nil {
		return nil, err
	}
	return checkpoint.last.Commit, nil
}

// State returns the engine's state after a block.
func (p *stateProvider) State(ctx context.Context, height uint64) (sm.State, error) {
	checkpoint, err := p.checkpointAt(ctx, height)
	if err != nil {
		return sm.State{}, err
	}
	return checkpoint.state(), nil
}

// checkpointAt fetches the light blocks of a checkpoint. It fetches the third one only when the validators changed.
func (p *stateProvider) checkpointAt(ctx context.Context, height uint64) (*Checkpoint, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.checkpoint != nil && p.checkpoint.Height() == height {
		return p.checkpoint, nil
	}
	checkpoint, err := p.fetch(ctx, height, 2)
	if errors.Is(err, ErrCheckpoint) {
		checkpoint, err = p.fetch(ctx, height, 3)
	}
	if err != nil {
		return nil, err
	}
	p.checkpoint = checkpoint
	return checkpoint, nil
}

func (p *stateProvider) fetch(ctx context.Context, height uint64, count int) (*Checkpoint, error) {
	lights := make([][]byte, count)
	for i := range lights {
		light, err := p.source.LightBlock(ctx, height+uint64(i))
		if err != nil {
			return nil, err
		}
		lights[i] = light
	}
	return ParseCheckpoint(lights, p.genesis)
}
