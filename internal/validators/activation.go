package validators

import (
	"encoding/binary"
	"errors"
	"fmt"

	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// activationNumber is the kind of an activation of rules.
const activationNumber = 0x03

func activationKind() *kind {
	return &kind{
		number: activationNumber, name: "rules change", domain: "makechain/rules-change/v1\n", row: schema.RulesKey(), decode: decodeActivation,
	}
}

// Activation is the content of a change of the rules: a version, and the height of the first block in which it is in force.
type Activation struct {
	Version, Height uint64
}

func (Activation) kind() *kind { return activationKind() }

func (a Activation) encode(encoded []byte) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(encoded, a.Version), a.Height)
}

func decodeActivation(r *reader) Content {
	version := r.number(numberSize)
	return Activation{Version: version, Height: r.number(numberSize)}
}

func (a Activation) check() error {
	if a.Version == 0 {
		return errors.New("version is 0")
	}
	if a.Height == 0 || a.Height > ledger.MaxActivationHeight {
		return fmt.Errorf("height %d, want 1 to %d", a.Height, uint64(ledger.MaxActivationHeight))
	}
	return nil
}

func (Activation) sequence(state *State) uint64 { return state.Rules.Sequence }

func (a Activation) appliedIn(state *State) bool {
	return state.Rules.Sequence > 0 && state.Rules.Version == a.Version && state.Rules.Height == a.Height
}

// apply returns the state with the activation. It replaces one whose height is not reached.
func (a Activation) apply(_ *Rules, state *State) (*Applied, error) {
	current := state.RulesVersion()
	if a.Version != current+1 {
		return nil, fmt.Errorf("version %d, want %d, the next after the one in force", a.Version, current+1)
	}
	if earliest := state.Height + ledger.ActivationDelay; a.Height < earliest {
		return nil, fmt.Errorf("height %d, want at least %d, %d blocks after block %d that would contain the change",
			a.Height, earliest, ledger.ActivationDelay, state.Height)
	}
	if a.appliedIn(state) {
		return nil, fmt.Errorf("version %d is activated at height %d already", a.Version, a.Height)
	}
	next := ledger.RulesState{Sequence: state.Rules.Sequence + 1, Version: a.Version, Height: a.Height, Previous: current}
	after := *state
	after.Rules = &next
	value, err := next.EncodeRow()
	return &Applied{State: &after, Row: schema.Change{Value: value}}, err
}
