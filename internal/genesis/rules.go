package genesis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// rules returns the version of the rules with which the chain starts.
func (g *Genesis) rules() uint64 {
	if g.Rules == 0 {
		return ledger.RulesVersion
	}
	return g.Rules
}

// settlementDocument3 is the JSON form of the settlement in rules version 3.
type settlementDocument3 struct {
	Attesters []string `json:"attesters"`
	Threshold int      `json:"threshold"`
}

// encodeSettlement returns the JSON form of the settlement in the version of the rules of a valid genesis.
func (g *Genesis) encodeSettlement() (json.RawMessage, error) {
	if ledger.HasSettlementRules(g.rules()) {
		return json.Marshal(NewSettlementDocument(&g.Settlement))
	}
	doc := settlementDocument3{Attesters: []string{}, Threshold: g.Settlement.Threshold}
	for _, attester := range g.Settlement.Attesters {
		doc.Attesters = append(doc.Attesters, attester.Key.String())
	}
	return json.Marshal(doc)
}

// parseSettlement parses the JSON form of the settlement in the version of the rules of a genesis. A field that is missing has no bytes.
func (g *Genesis) parseSettlement(encoded json.RawMessage) (s ledger.Settlement, err error) {
	if ledger.HasSettlementRules(g.rules()) {
		var doc SettlementDocument
		if err := parseStrictly(encoded, &doc); err != nil {
			return s, err
		}
		return doc.Parse()
	}
	var doc settlementDocument3
	if err := parseStrictly(encoded, &doc); err != nil {
		return s, err
	}
	s = ledger.HostSettlement(g.Network, doc.Threshold)
	for i, text := range doc.Attesters {
		key, err := ident.ParsePublicKey(text)
		if err != nil {
			return s, invalid(fmt.Sprintf("settlement.attesters[%d]", i), "%v", err)
		}
		s.Attesters = append(s.Attesters, ledger.Attester{Key: key})
	}
	return s, nil
}

func parseStrictly(encoded json.RawMessage, into any) error {
	if len(encoded) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("genesis: settlement: %w", err)
	}
	return nil
}

// checkSettlement checks the settlement by the version of the rules. That of rules version 3 has keys and a threshold only.
func (g *Genesis) checkSettlement() error {
	network := g.Network
	if !ledger.HasSettlementRules(g.rules()) {
		network = pb.Network_NETWORK_DEVNET // the only one without a contract in later versions
		host := ledger.HostSettlement(g.Network, g.Settlement.Threshold)
		for _, attester := range g.Settlement.Attesters {
			host.Attesters = append(host.Attesters, ledger.Attester{Key: attester.Key})
		}
		if !host.Equal(&g.Settlement) {
			return invalid("settlement", "has more than keys and a threshold, which rules version %d does not have", g.rules())
		}
	}
	if wrong := (*ledger.SettlementError)(nil); errors.As(g.Settlement.Validate(network), &wrong) {
		return invalid("settlement."+wrong.Field, "%s", wrong.Reason)
	}
	return nil
}
