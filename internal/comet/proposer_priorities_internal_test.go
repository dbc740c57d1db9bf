package comet

import (
	"math/rand/v2"
	"testing"

	dbm "github.com/cometbft/cometbft-db"
	"github.com/cometbft/cometbft/crypto/ed25519"
	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/types"
)

// validator is one of many, by its number.
func validator(number int, power int64) *types.Validator {
	return types.NewValidator(ed25519.GenPrivKeyFromSecret([]byte{byte(number)}).PubKey(), power)
}

// executed is the validators of each height, as an engine has them that executed every block.
type executed struct {
	database *dbm.MemDB
	states   sm.Store
	sets     []*types.ValidatorSet // by height
}

// execute has an engine's state go through blocks, some of which change validators.
func execute(t *testing.T, heights int64, changes map[int64][]*types.Validator) *executed {
	t.Helper()
	e := &executed{database: dbm.NewMemDB()}
	e.states = sm.NewStore(e.database, sm.StoreOptions{})
	first := types.NewValidatorSet([]*types.Validator{validator(1, 10), validator(2, 7), validator(3, 10), validator(4, 1)})
	state := sm.State{
		ChainID: "turns", InitialHeight: 1, ConsensusParams: *types.DefaultConsensusParams(),
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

// TestTurns asks for heights in any order, over changes of the validators and beyond what the store has in full. The
// turns are those of an engine that executed every block.
func TestTurns(t *testing.T) {
	t.Parallel()
	const heights = priorityHistory + 4_321
	e := execute(t, heights, map[int64][]*types.Validator{
		1:       {validator(5, 3)},
		1_500:   {validator(6, 5)},
		1_501:   {validator(6, 0), validator(2, 8)},
		2_998:   {validator(2, 7)}, // in force from the height on that is remembered, too
		2_999:   {validator(5, 0)}, // the first ones again
		103_000: {validator(7, 4)},
	})
	turns := newProposerPriorities(e.database, e.states)
	random := rand.New(rand.NewPCG(1, 2))
	asked := []int64{1, 2, 3, 1_501, 1_502, 1_503, 3_000, 3_001, priorityHistory - 1, priorityHistory, priorityHistory + 1, 103_001, 103_002, heights}
	for range 300 {
		asked = append(asked, 1+random.Int64N(heights))
	}
	for _, height := range asked {
		set, err := turns.at(height)
		if err != nil {
			t.Fatal(err)
		}
		if set.String() != e.sets[height].String() {
			t.Fatalf("at height %d: %v, want %v", height, set, e.sets[height])
		}
		set.IncrementProposerPriority(1) // what was given is the caller's own
	}
	for height := range int64(maxCachedPriorities) {
		turns.remember(height, e.sets[1])
	}
	if len(turns.known) != maxCachedPriorities || turns.known[0] != nil {
		t.Errorf("%d heights are remembered, want the %d newest", len(turns.known), maxCachedPriorities)
	}
	if _, err := turns.at(heights + 3); err == nil {
		t.Error("the turns of a height that is not there")
	}
}

// seedAt is a seed at a height whose light blocks say certain turns.
func (e *executed) seedAt(height int64, told func(height int64) *types.ValidatorSet) *Checkpoint {
	document := &types.GenesisDoc{InitialHeight: 1}
	for _, first := range e.sets[1].Validators {
		document.Validators = append(document.Validators, types.GenesisValidator{PubKey: first.PubKey, Power: first.VotingPower})
	}
	light := func(height int64) *types.LightBlock {
		header := &types.SignedHeader{Header: &types.Header{Height: height}}
		return &types.LightBlock{SignedHeader: header, ValidatorSet: told(height)}
	}
	seed := &Checkpoint{document: document, last: light(height), current: light(height + 1)}
	if next := light(height + 2); string(next.ValidatorSet.Hash()) != string(seed.current.ValidatorSet.Hash()) {
		seed.next = next
	}
	return seed
}

// TestSeedTurns goes on with the right turns after any block: as light blocks tell them, before, between and after
// changes, and for the first validators also when light blocks do not say.
func TestSeedTurns(t *testing.T) {
	t.Parallel()
	const heights, changed, returned = 600, 200, 400
	e := execute(t, heights, map[int64][]*types.Validator{changed - 2: {validator(5, 3)}, returned - 2: {validator(5, 0)}})
	for height := int64(1); height < heights-1; height++ {
		told := e.seedAt(height, func(height int64) *types.ValidatorSet { return e.sets[height].Copy() })
		checkSeed(t, e, told)
		if height < changed-2 {
			silent := e.seedAt(height, func(int64) *types.ValidatorSet { return e.sets[1].Copy() })
			checkSeed(t, e, silent)
		}
	}
}

func checkSeed(t *testing.T, e *executed, seed *Checkpoint) {
	t.Helper()
	for i, set := range seed.validatorSets() {
		if want := e.sets[seed.last.Height+int64(i)]; set.String() != want.String() {
			t.Fatalf("at height %d, %d later: %v, want %v", seed.last.Height, i, set, want)
		}
	}
}
