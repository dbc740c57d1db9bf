package validators

import (
	"encoding/binary"
	"fmt"
	"slices"

	"makechain/internal/genesis"
	"makechain/internal/schema"
)

// powersNumber is the kind of a change of the validators.
const powersNumber = 0x01

func powersKind() *kind {
	return &kind{
		number: powersNumber, name: "validator change", domain: "makechain/validator-change/v1\n", row: schema.ValidatorsKey(),
		decode: decodePowers,
	}
}

// Powers is the content of a change of the validators: the voting powers that it sets, sorted by key without duplicates.
type Powers []Validator

// NewPowers returns the content that sets the given powers, in any order.
func NewPowers(entries ...Validator) Powers {
	ordered := slices.Clone(entries)
	slices.SortFunc(ordered, byKey)
	return ordered
}

func (Powers) kind() *kind { return powersKind() }

func (p Powers) encode(encoded []byte) []byte {
	encoded = binary.BigEndian.AppendUint16(encoded, uint16(len(p)))
	for _, v := range p {
		encoded = binary.BigEndian.AppendUint64(append(encoded, v.Key[:]...), uint64(v.Power))
	}
	return encoded
}

func decodePowers(r *reader) Content {
	var p Powers
	for n := r.number(countSize); n > 0 && !r.short; n-- {
		key := r.key()
		p = append(p, Validator{Key: key, Power: int64(r.number(numberSize))})
	}
	return p
}

func (p Powers) check() error {
	if len(p) == 0 || len(p) > genesis.MaxValidators {
		return fmt.Errorf("%d validators, want 1 to %d", len(p), genesis.MaxValidators)
	}
	for i, v := range p {
		if v.Key.SmallOrder() { // as a key of zeros is
			return fmt.Errorf("the key of validator %s is of small order", v.Key)
		}
		if v.Power < 0 || v.Power > genesis.MaxTotalPower {
			return fmt.Errorf("validator %s has power %d, want 0 to %d", v.Key, v.Power, int64(genesis.MaxTotalPower))
		}
		if i > 0 && byKey(p[i-1], v) >= 0 {
			return fmt.Errorf("validator %s is out of order or duplicate", v.Key)
		}
	}
	return nil
}

func (Powers) sequence(state *State) uint64 { return state.Validators.Sequence }

func (p Powers) appliedIn(state *State) bool {
	return !slices.ContainsFunc(p, func(v Validator) bool { return state.Validators.Power(v.Key) != v.Power })
}

// apply returns the resulting set.
func (p Powers) apply(r *Rules, state *State) (*Applied, error) {
	current := state.Validators
	for _, v := range p {
		if current.Power(v.Key) == v.Power {
			return nil, fmt.Errorf("validator %s already has power %d", v.Key, v.Power)
		}
	}
	next := current.with(p)
	if err := next.check(r.limit); err != nil {
		return nil, err
	}
	if total := current.TotalPower(); current.movedPower(p) > total/3 {
		return nil, fmt.Errorf("the change moves more than a third of the voting power %d; split it into several changes", total)
	}
	after := *state
	after.Validators = next
	value, err := next.EncodeRow()
	return &Applied{State: &after, Row: schema.Change{Value: value}}, err
}
