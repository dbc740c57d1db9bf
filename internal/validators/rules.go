package validators

import (
	"fmt"

	"makechain/internal/genesis"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// View is a view of the state before a block.
type View interface {
	// Get returns the value at key, nil when there is no such row.
	Get(key []byte) ([]byte, error)
}

// RefusedError is returned for a change that does not apply. Any other error means that the state could not be read.
type RefusedError struct {
	Reason error
}

func (e *RefusedError) Error() string { return e.Reason.Error() }

func (e *RefusedError) Unwrap() error { return e.Reason }

// refused returns the refusal of a change.
func (c *Change) refused(reason error) error {
	return &RefusedError{Reason: fmt.Errorf("%s: %w", c.Name(), reason)}
}

// Rules validates the changes of one chain.
type Rules struct {
	chainID string
	params  ledger.Params
	genesis *Set
	limit   int // the maximum number of validators
}

// NewRules returns the rules of a chain.
func NewRules(g *genesis.Genesis) *Rules {
	return &Rules{chainID: g.ChainID, params: g.Params(), genesis: fromGenesis(g.Validators), limit: g.ValidatorLimit()}
}

// State is the part of the state that changes set.
type State struct {
	Validators *Set
	Settlement *ledger.SettlementState
	Rules      *ledger.RulesState
	Height     uint64 // of the block that follows the state, which may contain the next change
}

// RulesVersion returns the version of the rules in force in the block that follows the state.
func (s *State) RulesVersion() uint64 { return s.Rules.At(s.Height) }

// Current returns what the changes up to the state before the block of a height have set.
func (r *Rules) Current(view View, height uint64) (*State, error) {
	state := &State{Validators: r.genesis, Height: height}
	value, err := view.Get(schema.ValidatorsKey())
	if err != nil {
		return nil, fmt.Errorf("validators: %w", err)
	}
	if value != nil {
		if state.Validators, err = DecodeRow(value); err != nil {
			return nil, err
		}
	}
	if value, err = view.Get(schema.SettlementKey()); err != nil {
		return nil, fmt.Errorf("settlement: %w", err)
	}
	if state.Settlement, err = r.params.SettlementOf(value); err != nil {
		return nil, err
	}
	if value, err = view.Get(schema.RulesKey()); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	state.Rules, err = r.params.RulesOf(value)
	return state, err
}

// Applied is a change and its result.
type Applied struct {
	Change *Change
	State  *State // after the change
	Row    schema.Change
}

// Execute applies the change at the end of the block of a height, given the state before the block. It returns a *RefusedError if the
// change does not apply.
func (r *Rules) Execute(view View, height uint64, tx []byte) (*Applied, error) {
	change, err := Decode(tx)
	if err != nil {
		return nil, &RefusedError{Reason: err}
	}
	current, err := r.Current(view, height)
	if err != nil {
		return nil, err
	}
	return r.Apply(current, change)
}

// Apply returns the result of a change, if a quorum of the current validators signed it.
func (r *Rules) Apply(current *State, change *Change) (*Applied, error) {
	applied, err := r.Preview(current, change)
	if err != nil {
		return nil, err
	}
	set := current.Validators
	power, err := change.SignedPower(set)
	if err != nil {
		return nil, change.refused(err)
	}
	if power < set.Quorum() {
		return nil, change.refused(fmt.Errorf("signed by voting power %d of %d, want at least %d", power, set.TotalPower(), set.Quorum()))
	}
	return applied, nil
}

// Preview returns the result of a change, without checking signatures.
func (r *Rules) Preview(current *State, change *Change) (*Applied, error) {
	if err := change.check(); err != nil {
		return nil, change.refused(err)
	}
	if change.ChainID != r.chainID {
		return nil, change.refused(fmt.Errorf("the change is for chain %q, this chain is %q", change.ChainID, r.chainID))
	}
	before := change.Content.sequence(current)
	if change.Sequence != before+1 {
		return nil, change.refused(fmt.Errorf("sequence is %d, want %d", change.Sequence, before+1))
	}
	applied, err := change.Content.apply(r, current)
	if err != nil {
		return nil, change.refused(err)
	}
	applied.Change, applied.Row.Key, applied.Row.Existed = change, change.Content.kind().row, before > 0
	return applied, nil
}
