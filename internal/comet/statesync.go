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

// discoveryTime is how long the engine asks its peers for snapshots before it takes the best. CometBFT allows no less.
const discoveryTime = 5 * time.Second

// LightSource gives light blocks that are to be trusted. The error says that one is not there, or why it is not to be
// trusted.
type LightBlockSource interface {
	LightBlock(ctx context.Context, number uint64) ([]byte, error)
}

// stateProvider tells the engine what it is to believe of the state after a block.
type stateProvider struct {
	source  LightBlockSource
	genesis *genesis.Genesis

	mu   sync.Mutex
	checkpoint *Checkpoint // of the block that was asked for last; guarded by mu
}

var _ statesync.StateProvider = (*stateProvider)(nil)

// AppHash is the root after a block.
func (p *stateProvider) AppHash(ctx context.Context, height uint64) ([]byte, error) {
	seed, err := p.checkpointAt(ctx, height)
	if err != nil {
		return nil, err
	}
	return seed.current.AppHash, nil
}

// Commit has the signatures on a block.
func (p *stateProvider) Commit(ctx context.Context, height uint64) (*types.Commit, error) {
	seed, err := p.checkpointAt(ctx, height)
	if err != nil {
		return nil, err
	}
	return seed.last.Commit, nil
}

// State is what the engine would remember, had it executed all blocks.
func (p *stateProvider) State(ctx context.Context, height uint64) (sm.State, error) {
	seed, err := p.checkpointAt(ctx, height)
	if err != nil {
		return sm.State{}, err
	}
	return seed.state(), nil
}

// seedOf gets the light blocks from a block on, the third only when validators changed.
func (p *stateProvider) checkpointAt(ctx context.Context, height uint64) (*Checkpoint, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.checkpoint != nil && p.checkpoint.Height() == height {
		return p.checkpoint, nil
	}
	seed, err := p.fetch(ctx, height, 2)
	if errors.Is(err, ErrCheckpoint) {
		seed, err = p.fetch(ctx, height, 3)
	}
	if err != nil {
		return nil, err
	}
	p.checkpoint = seed
	return seed, nil
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
