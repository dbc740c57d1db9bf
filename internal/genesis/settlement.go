package genesis

import (
	"fmt"

	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// SettlementDocument is the JSON form of a settlement, in a genesis and in a settlement change. All fields are always written.
type SettlementDocument struct {
	ChainID   uint64             `json:"chain_id"`
	Contract  string             `json:"contract"`
	Threshold int                `json:"threshold"`
	Attesters []AttesterDocument `json:"attesters"`
}

// AttesterDocument is the JSON form of an attester.
type AttesterDocument struct {
	PublicKey string `json:"public_key"`
	URL       string `json:"url"`
}

// NewSettlementDocument returns the JSON form of a settlement.
func NewSettlementDocument(s *ledger.Settlement) *SettlementDocument {
	doc := &SettlementDocument{ChainID: s.ChainID, Contract: s.Contract.String(), Threshold: s.Threshold, Attesters: []AttesterDocument{}}
	for _, attester := range s.Attesters {
		doc.Attesters = append(doc.Attesters, AttesterDocument{PublicKey: attester.Key.String(), URL: attester.URL})
	}
	return doc
}

// Parse returns the settlement of a document, which the caller validates.
func (d *SettlementDocument) Parse() (s ledger.Settlement, err error) {
	s.ChainID, s.Threshold = d.ChainID, d.Threshold
	if s.Contract, err = ident.ParseAddress(d.Contract); err != nil {
		return s, invalid("settlement.contract", "%v", err)
	}
	for i, attester := range d.Attesters {
		key, err := ident.ParsePublicKey(attester.PublicKey)
		if err != nil {
			return s, invalid(fmt.Sprintf("settlement.attesters[%d].public_key", i), "%v", err)
		}
		s.Attesters = append(s.Attesters, ledger.Attester{Key: key, URL: attester.URL})
	}
	return s, nil
}
