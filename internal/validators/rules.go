package validators

import (
	"fmt"

	"makechain/internal/genesis"
	"makechain/internal/schema"
)

// View is the state that a block builds on.
type View interface {
	// Get returns the value at key, nil when there is no such row.
	Get(key []byte) ([]byte, error)
}

// RefusedError says why a change does not apply. Any other error means that the state could not be read.
type RefusedError struct {
	Reason error
}

func (e *RefusedError) Error() string { return "validator change: " + e.Reason.Error() }

func (e *RefusedError) Unwrap() error { return e.Reason }

func refused(format string, args ...any) error {
	return &RefusedError{Reason: fmt.Errorf(format, args...)}
}

// Rules judge the changes of one chain.
type Rules struct {
	chainID string
	first   *Set
	most    int
}

// NewRules are the rules of a chain.
func NewRules(g *genesis.Genesis) *Rules {
	return &Rules{chainID: g.ChainID, first: fromGenesis(g.Validators), most: g.ValidatorLimit()}
}

// Current is the set of a state.
func (r *Rules) Current(view View) (*Set, error) {
	value, err := view.Get(schema.ValidatorsKey())
	if err != nil {
		return nil, fmt.Errorf("validators: %w", err)
	}
	if value == nil {
		return r.first, nil
	}
	return DecodeRow(value)
}

// Applied is what a change leads to.
type Applied struct {
	Change *Change
	Set    *Set
	Row    schema.Change
}

// Execute applies the change that a block ends with. A *RefusedError refuses it.
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

// Apply gives the set that a change leads to, if enough of the present one signed it.
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
		return nil, refused("signed by power %d of %d, want at least %d", power, current.TotalPower(), current.Quorum())
	}
	return next, nil
}

// Preview gives the set that a change leads to once enough have signed it.
func (r *Rules) Preview(current *Set, change *Change) (*Set, error) {
	if err := change.check(); err != nil {
		return nil, &RefusedError{Reason: err}
	}
	if change.ChainID != r.chainID {
		return nil, refused("it is for chain %q, this is %q", change.ChainID, r.chainID)
	}
	if change.Sequence != current.Sequence+1 {
		return nil, refused("it is number %d, the next is %d", change.Sequence, current.Sequence+1)
	}
	for _, v := range change.Validators {
		if current.Power(v.Key) == v.Power {
			return nil, refused("validator %s has power %d already", v.Key, v.Power)
		}
	}
	next := current.with(change.Validators)
	if err := next.check(r.most); err != nil {
		return nil, &RefusedError{Reason: err}
	}
	if total := current.TotalPower(); current.moved(change.Validators) > total/3 {
		return nil, refused("it moves more than a third of the voting power, %d: take several steps", total)
	}
	return next, nil
}
