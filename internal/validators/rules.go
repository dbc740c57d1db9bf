package validators

import (
	"fmt"

	"makechain/internal/genesis"
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

func (e *RefusedError) Error() string { return "validator change: " + e.Reason.Error() }

func (e *RefusedError) Unwrap() error { return e.Reason }

func refused(format string, args ...any) error {
	return &RefusedError{Reason: fmt.Errorf(format, args...)}
}

// Rules validates changes of the validator set of one chain.
type Rules struct {
	chainID string
	genesis *Set
	limit   int // the maximum number of validators
}

// NewRules returns the rules of a chain.
func NewRules(g *genesis.Genesis) *Rules {
	return &Rules{chainID: g.ChainID, genesis: fromGenesis(g.Validators), limit: g.ValidatorLimit()}
}

// Current returns the validator set of a state.
func (r *Rules) Current(view View) (*Set, error) {
	value, err := view.Get(schema.ValidatorsKey())
	if err != nil {
		return nil, fmt.Errorf("validators: %w", err)
	}
	if value == nil {
		return r.genesis, nil
	}
	return DecodeRow(value)
}

// Applied is a change and its result.
type Applied struct {
	Change *Change
	Set    *Set
	Row    schema.Change
}

// Execute applies the change at the end of a block. It returns a *RefusedError if the change does not apply.
func (r *Rules) Execute(view View, tx []byte) (*Applied, error) {
	change, err := Decode(tx)
	if err != nil {
		return nil, &RefusedError{Reason: err}
	}
	current, err := r.Current(view)
	if err != nil {
		return nil, err
	}
	next, err := r.Apply(current, change)
	if err != nil {
		return nil, err
	}
	value, err := next.EncodeRow()
	if err != nil {
		return nil, err
	}
	row := schema.Change{Key: schema.ValidatorsKey(), Value: value, Existed: current.Sequence > 0}
	return &Applied{Change: change, Set: next, Row: row}, nil
}

// Apply returns the set that results from a change, if a quorum of the current set signed it.
func (r *Rules) Apply(current *Set, change *Change) (*Set, error) {
	next, err := r.Preview(current, change)
	if err != nil {
		return nil, err
	}
	power, err := change.SignedPower(current)
	if err != nil {
		return nil, &RefusedError{Reason: err}
	}
	if power < current.Quorum() {
		return nil, refused("signed by voting power %d of %d, want at least %d", power, current.TotalPower(), current.Quorum())
	}
	return next, nil
}

// Preview returns the set that results from a change, without checking signatures.
func (r *Rules) Preview(current *Set, change *Change) (*Set, error) {
	if err := change.check(); err != nil {
		return nil, &RefusedError{Reason: err}
	}
	if change.ChainID != r.chainID {
		return nil, refused("the change is for chain %q, this chain is %q", change.ChainID, r.chainID)
	}
	if change.Sequence != current.Sequence+1 {
		return nil, refused("sequence is %d, want %d", change.Sequence, current.Sequence+1)
	}
	for _, v := range change.Validators {
		if current.Power(v.Key) == v.Power {
			return nil, refused("validator %s already has power %d", v.Key, v.Power)
		}
	}
	next := current.with(change.Validators)
	if err := next.check(r.limit); err != nil {
		return nil, &RefusedError{Reason: err}
	}
	if total := current.TotalPower(); current.movedPower(change.Validators) > total/3 {
		return nil, refused("the change moves more than a third of the voting power %d; split it into several changes", total)
	}
	return next, nil
}
