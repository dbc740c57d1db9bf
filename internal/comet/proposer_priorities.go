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
	// priorityHistory is the number of newest blocks for which proposer priorities are computed. Only a node that joins
	// needs them, and it joins with a recent state. It is also the interval at which CometBFT stores them.
	priorityHistory = 100_000
	// priorityInterval is the distance between two cached heights.
	priorityInterval = 1_000
	// maxCachedPriorities is the size of the cache: the heights of the history, and those before it up to the last stored one.
	maxCachedPriorities = 2 * priorityHistory / priorityInterval
)

// proposerPriorities computes the proposer priorities at a height. CometBFT stores them only where the validators changed
// and at every 100,000th height, and increments them once per height from there. Intermediate results are cached, so that
// later calls need at most priorityInterval increments.
type proposerPriorities struct {
	database dbm.DB
	states   sm.Store

	mu    sync.Mutex
	cache map[int64]*types.ValidatorSet // by height; guarded by mu
}

func newProposerPriorities(database dbm.DB, states sm.Store) *proposerPriorities {
	return &proposerPriorities{database: database, states: states, cache: make(map[int64]*types.ValidatorSet)}
}

// at returns the validators of a height with their proposer priorities.
func (p *proposerPriorities) at(height int64) (*types.ValidatorSet, error) {
	changed, err := p.lastChanged(height)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	set, from, err := p.before(height, changed)
	if err != nil {
		return nil, err
	}
	for from < height {
		next := min(height, from-from%priorityInterval+priorityInterval)
		set = set.CopyIncrementProposerPriority(int32(next - from))
		from = next
		if from%priorityInterval == 0 {
			p.put(from, set)
		}
	}
	return set.Copy(), nil
}

// before returns the validators at the highest height, up to the given one and since the validators changed, that is
// cached or stored. p.mu must be held.
func (p *proposerPriorities) before(height, changed int64) (set *types.ValidatorSet, from int64, err error) {
	stored := max(changed, height-height%priorityHistory)
	for from = height - height%priorityInterval; from > stored; from -= priorityInterval {
		if set = p.cache[from]; set != nil {
			return set, from, nil
		}
	}
	set, err = p.states.LoadValidators(stored)
	return set, stored, err
}

// put caches the validators of a height and evicts the lowest height when the cache is full. p.mu must be held.
func (p *proposerPriorities) put(height int64, set *types.ValidatorSet) {
	p.cache[height] = set
	if len(p.cache) > maxCachedPriorities {
		delete(p.cache, slices.Min(slices.Collect(maps.Keys(p.cache))))
	}
}

// lastChanged returns the height at which the validators of a height last changed. CometBFT stores it for each height, but
// its store has no method for it.
func (p *proposerPriorities) lastChanged(height int64) (int64, error) {
	encoded, err := p.database.Get(fmt.Appendf(nil, "validatorsKey:%d", height))
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
