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

// Set is who validates after a number of changes.
type Set struct {
	Sequence   uint64 // the changes since genesis
	Validators []Validator
}

func byKey(a, b Validator) int { return bytes.Compare(a.Key[:], b.Key[:]) }

// fromGenesis is the set that a chain begins with.
func fromGenesis(list []genesis.Validator) *Set {
	set := &Set{Validators: make([]Validator, len(list))}
	for i, v := range list {
		set.Validators[i] = Validator{Key: v.PublicKey, Power: v.Power}
	}
	slices.SortFunc(set.Validators, byKey)
	return set
}

// Power is the voting power of a key, 0 when it is not in the set.
func (s *Set) Power(key ident.PublicKey) int64 {
	at, found := slices.BinarySearchFunc(s.Validators, Validator{Key: key}, byKey)
	if !found {
		return 0
	}
	return s.Validators[at].Power
}

// TotalPower is that of all validators.
func (s *Set) TotalPower() int64 {
	var total int64
	for _, v := range s.Validators {
		total += v.Power
	}
	return total
}

// Quorum is the least voting power that decides: more than two thirds.
func (s *Set) Quorum() int64 {
	total := s.TotalPower()
	return total/3*2 + total%3*2/3 + 1 // twice the total could be too large
}

// EncodeRow is the set as the value of its row.
func (s *Set) EncodeRow() ([]byte, error) {
	row := &pb.ValidatorsRow{Sequence: s.Sequence}
	for _, v := range s.Validators {
		row.Validators = append(row.Validators, &pb.ValidatorEntry{PublicKey: bytes.Clone(v.Key[:]), Power: uint64(v.Power)})
	}
	return schema.Encode(row)
}

// DecodeRow reads the value of the row, and refuses a set that no change leads to.
func DecodeRow(value []byte) (*Set, error) {
	var row pb.ValidatorsRow
	if err := schema.Decode(value, &row); err != nil {
		return nil, err
	}
	return FromRow(&row)
}

// FromRow is the set that a row holds, if a change can have led to it.
func FromRow(row *pb.ValidatorsRow) (*Set, error) {
	set := &Set{Sequence: row.GetSequence()}
	if set.Sequence == 0 {
		return nil, errors.New("validators: the row is there before the first change")
	}
	for i, entry := range row.GetValidators() {
		key, ok := ident.PublicKeyFrom(entry.GetPublicKey())
		if !ok || entry.GetPower() > genesis.MaxTotalPower {
			return nil, fmt.Errorf("validators: entry %d has a key of %d bytes and power %d", i, len(entry.GetPublicKey()), entry.GetPower())
		}
		set.Validators = append(set.Validators, Validator{Key: key, Power: int64(entry.GetPower())})
	}
	return set, set.check(genesis.MaxValidators)
}

// check says what is wrong with a set that a row holds or a change leads to.
func (s *Set) check(most int) error {
	if len(s.Validators) == 0 || len(s.Validators) > most {
		return fmt.Errorf("%d validators, want 1 to %d", len(s.Validators), most)
	}
	var total int64
	for i, v := range s.Validators {
		if i > 0 && byKey(s.Validators[i-1], v) >= 0 {
			return fmt.Errorf("validator %s is out of order or there twice", v.Key)
		}
		if v.Key == (ident.PublicKey{}) {
			return errors.New("the key of a validator is not set")
		}
		if v.Power < 1 || v.Power > genesis.MaxTotalPower-total {
			return fmt.Errorf("validator %s has power %d, want at least 1 and in sum at most %d", v.Key, v.Power, int64(genesis.MaxTotalPower))
		}
		total += v.Power
	}
	return nil
}

// with is the set after its powers were replaced by those of a change, in order.
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

// moved is how much voting power differs between a set and the change to it. Both are within the bounds of a set, so
// that sums cannot overflow.
func (s *Set) moved(changes []Validator) int64 {
	var moved int64
	for _, v := range changes {
		before := s.Power(v.Key)
		moved += max(v.Power-before, before-v.Power)
	}
	return moved
}
