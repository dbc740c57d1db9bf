package validators

import (
	"encoding/binary"
	"errors"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// settlementNumber is the kind of a change of the settlement.
const settlementNumber = 0x02

func settlementKind() *kind {
	return &kind{
		number: settlementNumber, name: "settlement change", domain: "makechain/settlement-change/v1\n", row: schema.SettlementKey(),
		decode: decodeSettlement,
	}
}

// Settlement is the content of a change of the settlement, which it replaces as a whole.
type Settlement ledger.Settlement

// urlSize is the size of the length of a URL, in bytes.
const urlSize = 2

func (Settlement) kind() *kind { return settlementKind() }

func (s Settlement) encode(encoded []byte) []byte {
	encoded = append(binary.BigEndian.AppendUint64(encoded, s.ChainID), s.Contract[:]...)
	encoded = append(encoded, byte(s.Threshold), byte(len(s.Attesters)))
	for _, attester := range s.Attesters {
		encoded = binary.BigEndian.AppendUint16(append(encoded, attester.Key[:]...), uint16(len(attester.URL)))
		encoded = append(encoded, attester.URL...)
	}
	return encoded
}

func decodeSettlement(r *reader) Content {
	s := Settlement{ChainID: r.number(numberSize)}
	copy(s.Contract[:], r.take(ident.AddressSize))
	s.Threshold = int(r.number(1))
	for n := r.number(1); n > 0 && !r.short; n-- {
		attester := ledger.Attester{Key: r.key()}
		attester.URL = string(r.take(int(r.number(urlSize))))
		s.Attesters = append(s.Attesters, attester)
	}
	return s
}

// check applies the rules of development chains, which are those of all chains. Others require a contract.
func (s Settlement) check() error {
	settlement := ledger.Settlement(s)
	return settlement.Validate(pb.Network_NETWORK_DEVNET)
}

func (Settlement) sequence(state *State) uint64 { return state.Settlement.Sequence }

func (s Settlement) appliedIn(state *State) bool {
	settlement := ledger.Settlement(s)
	return settlement.Equal(&state.Settlement.Settlement)
}

// apply returns the state with the settlement.
func (s Settlement) apply(r *Rules, state *State) (*Applied, error) {
	if version := state.RulesVersion(); !ledger.HasSettlementRules(version) {
		return nil, fmt.Errorf("the chain has rules version %d, which has no changes of the settlement", version)
	}
	next := ledger.SettlementState{Settlement: ledger.Settlement(s), Sequence: state.Settlement.Sequence + 1}
	if err := next.Validate(r.params.Network); err != nil {
		return nil, err
	}
	if s.appliedIn(state) {
		return nil, errors.New("the settlement is the current one")
	}
	after := *state
	after.Settlement = &next
	value, err := next.EncodeRow()
	return &Applied{State: &after, Row: schema.Change{Value: value}}, err
}
