package ledger

import (
	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/message"
)

// Versions of the rules that decide which messages apply and what they change. The genesis of a chain and the headers of its
// blocks carry a version.
const (
	// RulesVersion is the newest version that this program supports, that of new chains.
	RulesVersion = 4
	// OldestRulesVersion is the oldest version that this program supports.
	OldestRulesVersion = 3

	// settlementRules is the first version with a settlement (P8.2). Before it the settlement chain is the host chain of the network,
	// and attestations are for a network instead of a chain and a contract.
	settlementRules = 4
)

// SupportsRules reports whether this program has a version of the rules.
func SupportsRules(version uint64) bool {
	return version >= OldestRulesVersion && version <= RulesVersion
}

// HasSettlementRules reports whether a version of the rules has a settlement with a chain id and a contract.
func HasSettlementRules(version uint64) bool { return version >= settlementRules }

// rules returns the version of the rules of the genesis.
func (p *Params) rules() uint64 {
	if p.Rules == 0 {
		return RulesVersion
	}
	return p.Rules
}

// checkVersion refuses what the version of the rules in force does not allow, and later versions do.
func (s *transition) checkVersion() *message.Refusal {
	claim := s.Data.GetStorageClaim()
	if claim == nil || HasSettlementRules(s.rules) {
		return nil
	}
	if got, want := claim.GetSettlementChainId(), custody.HostChainID(s.params.Network); got != want {
		return message.Invalid("storage_claim.settlement_chain_id", "%d, want %d", got, want)
	}
	return nil
}

// attestedDomain returns what the attestations of claims are valid for by the rules in force.
func (s *transition) attestedDomain(settlement *Settlement) custody.SettlementDomain {
	chain := *s.params
	chain.Rules = s.rules
	return settlement.Domain(&chain)
}

// HostSettlement returns the settlement of a chain of rules version 3: its settlement chain is the host chain of the network, and there
// is no contract.
func HostSettlement(network pb.Network, threshold int, attesters ...Attester) Settlement {
	return Settlement{ChainID: custody.HostChainID(network), Threshold: threshold, Attesters: attesters}
}
