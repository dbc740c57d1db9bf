package ledger

import (
	"errors"
	"fmt"
	"math"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// Limits of the height of an activation.
const (
	// ActivationDelay is how many blocks an activation is at least ahead of the block that contains it (P11.2).
	ActivationDelay = 10
	// MaxActivationHeight is the greatest height of a block in CometBFT.
	MaxActivationHeight = math.MaxInt64
)

// UnsupportedRulesError is returned for a block whose version of the rules this program does not have.
type UnsupportedRulesError struct {
	Version, Height uint64
}

func (e *UnsupportedRulesError) Error() string {
	return fmt.Sprintf("block %d needs rules version %d, this program has versions %d to %d: the chain continues with a program that has it, "+
		"and nothing is lost", e.Height, e.Version, OldestRulesVersion, RulesVersion)
}

// RulesState is the latest activation of a version of the rules, and the number of changes since genesis that led to it. Before the first
// change the sequence and the height are 0, and both versions are that of the genesis.
type RulesState struct {
	Sequence uint64
	Version  uint64 // from the block of Height on
	Height   uint64
	Previous uint64 // the version before that
}

// At returns the version in force in the block of a height that is not before the change.
func (s *RulesState) At(height uint64) uint64 {
	if height < s.Height {
		return s.Previous
	}
	return s.Version
}

// EncodeRow returns the value of the row of an activation that a change has set.
func (s *RulesState) EncodeRow() ([]byte, error) {
	return schema.Encode(&pb.RulesRow{Sequence: s.Sequence, Version: s.Version, Height: s.Height, PreviousVersion: s.Previous})
}

// RulesOf returns the activation in a state whose rules row has the given value, nil for none.
func (p *Params) RulesOf(value []byte) (*RulesState, error) {
	if value == nil {
		return &RulesState{Version: p.rules(), Previous: p.rules()}, nil
	}
	var row pb.RulesRow
	if err := schema.Decode(value, &row); err != nil {
		return nil, err
	}
	return RulesFromRow(&row)
}

// RulesFromRow returns the activation in a row. It returns an error for one that no change can lead to.
func RulesFromRow(row *pb.RulesRow) (*RulesState, error) {
	s := &RulesState{Sequence: row.GetSequence(), Version: row.GetVersion(), Height: row.GetHeight(), Previous: row.GetPreviousVersion()}
	switch {
	case s.Sequence == 0:
		return nil, errors.New("rules: sequence is 0, but there is no row before the first change")
	case s.Previous == 0 || s.Previous == math.MaxUint64 || s.Version != s.Previous+1:
		return nil, fmt.Errorf("rules: version %d does not follow version %d", s.Version, s.Previous)
	case s.Height <= ActivationDelay || s.Height > MaxActivationHeight:
		return nil, fmt.Errorf("rules: height %d, want %d to %d", s.Height, ActivationDelay+1, uint64(MaxActivationHeight))
	}
	return s, nil
}

// rowView is a view of single rows.
type rowView interface {
	Get(key []byte) ([]byte, error)
}

// RulesIn returns the version of the rules in force in the block of a height, given a view of the state before it. It returns an
// *UnsupportedRulesError if this program does not have the version.
func (p *Params) RulesIn(before rowView, height uint64) (uint64, error) {
	value, err := before.Get(schema.RulesKey())
	if err != nil {
		return 0, err
	}
	state, err := p.RulesOf(value)
	if err != nil {
		return 0, err
	}
	version := state.At(height)
	if !SupportsRules(version) {
		return version, &UnsupportedRulesError{Version: version, Height: height}
	}
	return version, nil
}
