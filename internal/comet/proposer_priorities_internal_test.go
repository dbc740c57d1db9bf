package comet

import (
	"math/rand/v2"
	"testing"

	dbm "github.com/cometbft/cometbft-db"
	"github.com/cometbft/cometbft/crypto/ed25519"
	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/types"
)

// validator returns the validator of a number.
func validator(number int, power int64) *types.Validator {
	return types.NewValidator(ed25519.GenPrivKeyFromSecret([]byte{byte(number)}).PubKey(), power)
}

// executed has the validators of each height as an engine computes them that executes every block.
type executed struct {
	database *dbm.MemDB
	states   sm.Store
	sets     []*types.ValidatorSet // by height
}

// execute computes the validators of heights, some of which change them.
func execute(t *testing.T, heights int64, changes map[int64][]*types.Validator) *executed {
	t.Helper()
	e := &executed{database: dbm.NewMemDB()}
	e.states = sm.NewStore(e.database, sm.StoreOptions{})
	first := types.NewValidatorSet([]*types.Validator{validator(1, 10), validator(2, 7), validator(3, 10), validator(4, 1)})
	state := sm.State{
		ChainID: "test", InitialHeight: 1, ConsensusParams: *types.DefaultConsensusParams(),
		LastValidators: types.NewValidatorSet(nil), Validators: first, NextValidators: first.CopyIncrementProposerPriority(1),
		LastHeightValidatorsChanged: 1, LastHeightConsensusParamsChanged: 1,
	}
	e.sets = append(e.sets, nil)
	for height := int64(1); ; height++ {
		if err := e.states.Save(state); err != nil {
			t.Fatal(err)
		}
		if height > heights {
			return e
		}
		e.sets = append(e.sets, state.Validators)
		next := state.NextValidators.Copy()
		if change := changes[height]; change != nil {
			if err := next.UpdateWithChangeSet(change); err != nil {
				t.Fatal(err)
			}
			state.LastHeightValidatorsChanged = height + 2
		}
		next.IncrementProposerPriority(1)
		state.LastBlockHeight = height
		state.LastValidators, state.Validators, state.NextValidators = state.Validators, state.NextValidators, next
	}
}

// TestProposerPriorities reads heights in any order, across validator changes and beyond those that the store has in full,
// and checks that the priorities are those of an engine that executed every block.
func TestProposerPriorities(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("computes many heights")
	}
	const heights = priorityHistory + 4_321
	e := execute(t, heights, map[int64][]*types.Validator{
		1:       {validator(5, 3)},
		1_500:   {validator(6, 5)},
		1_501:   {validator(6, 0), validator(2, 8)},
		2_998:   {validator(2, 7)}, // takes effect at a cached height
		2_999:   {validator(5, 0)}, // the first validators again
		103_000: {validator(7, 4)},
	})
	priorities := newProposerPriorities(e.database, e.states)
	random := rand.New(rand.NewPCG(1, 2))
	heightsRead := []int64{1, 2, 3, 1_501, 1_502, 1_503, 3_000, 3_001, priorityHistory - 1, priorityHistory, priorityHistory + 1, 103_001, 103_002, heights}
	for range 300 {
		heightsRead = append(heightsRead, 1+random.Int64N(heights))
	}
	for _, height := range heightsRead {
		set, err := priorities.at(height)
		if err != nil {
			t.Fatal(err)
		}
		if set.String() != e.sets[height].String() {
			t.Fatalf("at height %d: %v, want %v", height, set, e.sets[height])
		}
		set.IncrementProposerPriority(1) // the result is a copy
	}
	for height := range int64(maxCachedPriorities) {
		priorities.put(height, e.sets[1])
	}
	if len(priorities.cache) != maxCachedPriorities || priorities.cache[0] != nil {
		t.Errorf("%d heights are cached, want the %d newest", len(priorities.cache), maxCachedPriorities)
	}
	if _, err := priorities.at(heights + 3); err == nil {
		t.Error("no error for a height without validators")
	}
}

// checkpointAt returns a checkpoint at a height whose light blocks have the given validators.
func (e *executed) checkpointAt(height int64, validatorsAt func(height int64) *types.ValidatorSet) *Checkpoint {
	document := &types.GenesisDoc{InitialHeight: 1}
	for _, first := range e.sets[1].Validators {
		document.Validators = append(document.Validators, types.GenesisValidator{PubKey: first.PubKey, Power: first.VotingPower})
	}
	light := func(height int64) *types.LightBlock {
		header := &types.SignedHeader{Header: &types.Header{Height: height}}
		return &types.LightBlock{SignedHeader: header, ValidatorSet: validatorsAt(height)}
	}
	checkpoint := &Checkpoint{document: document, last: light(height), current: light(height + 1)}
	if next := light(height + 2); string(next.ValidatorSet.Hash()) != string(checkpoint.current.ValidatorSet.Hash()) {
		checkpoint.next = next
	}
	return checkpoint
}

// TestCheckpointPriorities checks the proposer priorities of a checkpoint at any block: before, between and after validator
// changes, and for the validators of genesis also when the light blocks have none.
func TestCheckpointPriorities(t *testing.T) {
	t.Parallel()
	const heights, changed, returned = 600, 200, 400
	e := execute(t, heights, map[int64][]*types.Validator{changed - 2: {validator(5, 3)}, returned - 2: {validator(5, 0)}})
	for height := int64(1); height < heights-1; height++ {
		complete := e.checkpointAt(height, func(height int64) *types.ValidatorSet { return e.sets[height].Copy() })
		checkPriorities(t, e, complete)
		if height < changed-2 {
			without := e.checkpointAt(height, func(int64) *types.ValidatorSet { return e.sets[1].Copy() })
			checkPriorities(t, e, without)
		}
	}
}

func checkPriorities(t *testing.T, e *executed, checkpoint *Checkpoint) {
	t.Helper()
	for i, set := range checkpoint.validatorSets() {
		if want := e.sets[checkpoint.last.Height+int64(i)]; set.String() != want.String() {
			t.Fatalf("checkpoint %d, %d blocks later: %v, want %v", checkpoint.last.Height, i, set, want)
		}
	}
}
