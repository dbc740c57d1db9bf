package validators

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// Validator is a key with its voting power. In a change, power 0 removes the validator.
type Validator struct {
	Key   ident.PublicKey
	Power int64
}

// Set is a validator set.
type Set struct {
	Sequence   uint64 // the number of changes since genesis
	Validators []Validator
}

func byKey(a, b Validator) int { return bytes.Compare(a.Key[:], b.Key[:]) }

// fromGenesis returns the validator set of genesis.
func fromGenesis(list []genesis.Validator) *Set {
	set := &Set{Validators: make([]Validator, len(list))}
	for i, v := range list {
		set.Validators[i] = Validator{Key: v.PublicKey, Power: v.Power}
	}
	slices.SortFunc(set.Validators, byKey)
	return set
}

// Power returns the voting power of a key, 0 if it is not in the set.
func (s *Set) Power(key ident.PublicKey) int64 {
	at, found := slices.BinarySearchFunc(s.Validators, Validator{Key: key}, byKey)
	if !found {
		return 0
	}
	return s.Validators[at].Power
}

// TotalPower returns the sum of the voting powers.
func (s *Set) TotalPower() int64 {
	var total int64
	for _, v := range s.Validators {
		total += v.Power
	}
	return total
}

// Quorum returns the smallest voting power that is more than two thirds of the total.
func (s *Set) Quorum() int64 {
	total := s.TotalPower()
	return total/3*2 + total%3*2/3 + 1 // 2*total could overflow
}

// EncodeRow returns the value of the row of the set.
func (s *Set) EncodeRow() ([]byte, error) {
	row := &pb.ValidatorsRow{Sequence: s.Sequence}
	for _, v := range s.Validators {
		row.Validators = append(row.Validators, &pb.ValidatorEntry{PublicKey: bytes.Clone(v.Key[:]), Power: uint64(v.Power)})
	}
	return schema.Encode(row)
}

// DecodeRow decodes the value of the row. It returns an error for a set that no change can lead to.
func DecodeRow(value []byte) (*Set, error) {
	var row pb.ValidatorsRow
	if err := schema.Decode(value, &row); err != nil {
		return nil, err
	}
	return FromRow(&row)
}

// FromRow returns the set in a row. It returns an error for a set that no change can lead to.
func FromRow(row *pb.ValidatorsRow) (*Set, error) {
	set := &Set{Sequence: row.GetSequence()}
	if set.Sequence == 0 {
		return nil, errors.New("validators: sequence is 0, but there is no row before the first change")
	}
	for i, entry := range row.GetValidators() {
		key, ok := ident.PublicKeyFrom(entry.GetPublicKey())
		if !ok || entry.GetPower() > genesis.MaxTotalPower {
			return nil, fmt.Errorf("validators: entry %d is not valid: key of %d bytes, power %d", i, len(entry.GetPublicKey()), entry.GetPower())
		}
		set.Validators = append(set.Validators, Validator{Key: key, Power: int64(entry.GetPower())})
	}
	return set, set.check(genesis.MaxValidators)
}

// check validates a set that a row contains or a change leads to.
func (s *Set) check(limit int) error {
	if len(s.Validators) == 0 || len(s.Validators) > limit {
		return fmt.Errorf("%d validators, want 1 to %d", len(s.Validators), limit)
	}
	var total int64
	for i, v := range s.Validators {
		if i > 0 && byKey(s.Validators[i-1], v) >= 0 {
			return fmt.Errorf("validator %s is out of order or duplicate", v.Key)
		}
		if v.Key == (ident.PublicKey{}) {
			return errors.New("the key of a validator is not set")
		}
		if v.Power < 1 || v.Power > genesis.MaxTotalPower-total {
			return fmt.Errorf("validator %s has power %d, want at least 1 and a total of at most %d", v.Key, v.Power, int64(genesis.MaxTotalPower))
		}
		total += v.Power
	}
	return nil
}

// with returns the set after a change.
func (s *Set) with(changes []Validator) *Set {
	next := &Set{Sequence: s.Sequence + 1}
	changed := func(key ident.PublicKey) bool {
		_, found := slices.BinarySearchFunc(changes, Validator{Key: key}, byKey)
		return found
	}
	for _, v := range s.Validators {
		if !changed(v.Key) {
			next.Validators = append(next.Validators, v)
		}
	}
	for _, v := range changes {
		if v.Power > 0 {
			next.Validators = append(next.Validators, v)
		}
	}
	slices.SortFunc(next.Validators, byKey)
	return next
}

// movedPower returns the sum of the differences in voting power between the set and a change. Both are within the limits
// of a set, so that the sum cannot overflow.
func (s *Set) movedPower(changes []Validator) int64 {
	var moved int64
	for _, v := range changes {
		before := s.Power(v.Key)
		moved += max(v.Power-before, before-v.Power)
	}
	return moved
}
