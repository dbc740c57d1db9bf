package ledger

import (
	"bytes"
	"errors"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// SettlementState is a settlement and the number of changes since genesis that led to it, 0 for that of the genesis.
type SettlementState struct {
	Settlement

	Sequence uint64
}

// EncodeRow returns the value of the row of a settlement that a change has set.
func (s *SettlementState) EncodeRow() ([]byte, error) {
	row := &pb.SettlementRow{
		Sequence: s.Sequence, ChainId: s.ChainID, Contract: bytes.Clone(s.Contract[:]), Threshold: uint32(s.Threshold),
	}
	for _, attester := range s.Attesters {
		row.Attesters = append(row.Attesters, &pb.SettlementAttester{PublicKey: bytes.Clone(attester.Key[:]), Url: attester.URL})
	}
	return schema.Encode(row)
}

// SettlementOf returns the settlement in force in a state whose settlement row has the given value: that of the genesis when
// there is no row, which is nil.
func (p *Params) SettlementOf(value []byte) (*SettlementState, error) {
	if value == nil {
		return &SettlementState{Settlement: p.Settlement}, nil
	}
	var row pb.SettlementRow
	if err := schema.Decode(value, &row); err != nil {
		return nil, err
	}
	return SettlementFromRow(&row)
}

// SettlementFromRow returns the settlement in a row. It returns an error for one that no change can lead to.
func SettlementFromRow(row *pb.SettlementRow) (*SettlementState, error) {
	s := &SettlementState{Sequence: row.GetSequence()}
	if s.Sequence == 0 {
		return nil, errors.New("settlement: sequence is 0, but there is no row before the first change")
	}
	var ok bool
	if s.Contract, ok = ident.AddressFrom(row.GetContract()); !ok {
		return nil, fmt.Errorf("settlement: contract of %d bytes, want %d", len(row.GetContract()), ident.AddressSize)
	}
	s.ChainID, s.Threshold = row.GetChainId(), int(row.GetThreshold())
	for i, entry := range row.GetAttesters() {
		key, ok := ident.PublicKeyFrom(entry.GetPublicKey())
		if !ok {
			return nil, fmt.Errorf("settlement: the key of attester %d has %d bytes", i, len(entry.GetPublicKey()))
		}
		s.Attesters = append(s.Attesters, Attester{Key: key, URL: entry.GetUrl()})
	}
	return s, s.Validate(pb.Network_NETWORK_DEVNET) // the network is not known here; others require a contract too
}

// settlement returns the settlement in force before the block. A change of the settlement writes the row after the messages of its
// block (Result.AddRow), so executions that were recorded before it are not reused.
func (s *transition) settlement() *SettlementState {
	found, err := s.params.SettlementOf(s.rows.get(schema.SettlementKey()))
	if err != nil {
		s.rows.fail(err)
		return &SettlementState{}
	}
	return found
}
