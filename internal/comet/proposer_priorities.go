package comet

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	dbm "github.com/cometbft/cometbft-db"
	cmtstate "github.com/cometbft/cometbft/proto/tendermint/state"
	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/types"
)

const (
	// turnsHistory is how far back from the newest block it is worked out whose turn it was to propose. Only who takes
	// over a state needs to know, and states are taken over while they are new. CometBFT stores the turns as often.
	priorityHistory = 100_000
	// turnsInterval is how far apart the heights are of which the turns are remembered.
	priorityInterval = 1_000
	// maxTurns is how many of them are remembered: those of the history, and on the way to where it begins.
	maxCachedPriorities = 2 * priorityHistory / priorityInterval
)

// turns works out whose turn it was to propose at a height, which CometBFT stores only where validators changed and at
// every 100,000th height, and takes a step per height from there. What is worked out on the way is remembered, so that
// no question takes more than turnsInterval steps for long.
type proposerPriorities struct {
	database dbm.DB
	states   sm.Store

	mu    sync.Mutex
	known map[int64]*types.ValidatorSet // by height; guarded by mu
}

func newProposerPriorities(database dbm.DB, states sm.Store) *proposerPriorities {
	return &proposerPriorities{database: database, states: states, known: make(map[int64]*types.ValidatorSet)}
}

// at gives the validators of a height with their turns.
func (t *proposerPriorities) at(height int64) (*types.ValidatorSet, error) {
	changed, err := t.changed(height)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	set, from, err := t.before(height, changed)
	if err != nil {
		return nil, err
	}
	for from < height {
		next := min(height, from-from%priorityInterval+priorityInterval)
		set = set.CopyIncrementProposerPriority(int32(next - from))
		from = next
		if from%priorityInterval == 0 {
			t.remember(from, set)
		}
	}
	return set.Copy(), nil
}

// before gives the turns at the highest height, up to one, that is remembered or stored since the validators changed.
func (t *proposerPriorities) before(height, changed int64) (set *types.ValidatorSet, from int64, err error) {
	stored := max(changed, height-height%priorityHistory)
	for from = height - height%priorityInterval; from > stored; from -= priorityInterval {
		if set = t.known[from]; set != nil {
			return set, from, nil
		}
	}
	set, err = t.states.LoadValidators(stored)
	return set, stored, err
}

// remember keeps the turns at a height, and forgets the oldest when there are too many.
func (t *proposerPriorities) remember(height int64, set *types.ValidatorSet) {
	t.known[height] = set
	if len(t.known) > maxCachedPriorities {
		delete(t.known, slices.Min(slices.Collect(maps.Keys(t.known))))
	}
}

// changed is the height at which the validators of a height became what they are. It is part of what CometBFT stores
// for each height, and not of what its store tells.
func (t *proposerPriorities) changed(height int64) (int64, error) {
	encoded, err := t.database.Get(fmt.Appendf(nil, "validatorsKey:%d", height))
	if err != nil {
		return 0, fmt.Errorf("validators of height %d: %w", height, err)
	}
	if len(encoded) == 0 {
		return 0, sm.ErrNoValSetForHeight{Height: height}
	}
	var info cmtstate.ValidatorsInfo
	if err := info.Unmarshal(encoded); err != nil {
		return 0, fmt.Errorf("validators of height %d: %w", height, err)
	}
	return info.LastHeightChanged, nil
}
