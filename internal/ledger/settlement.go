package ledger

import (
	"fmt"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/message"
)

// Limits of a Settlement (P8.2).
const (
	// MaxAttesters is the maximum number of attestations of a claim (P5).
	MaxAttesters = message.MaxAttestations
	// MaxAttesterURL is the maximum length of an attester's URL, in bytes.
	MaxAttesterURL = 256
	// MaxSettlementChainID is the largest integer that every JSON parser reads exactly.
	MaxSettlementChainID = 1<<53 - 1
)

// Settlement describes where storage is paid for and who attests payments (P8.2). Without attesters no claim is accepted.
type Settlement struct {
	ChainID uint64 // of the settlement chain
	// Contract receives the payments. It is zero on a development chain whose only attesters are faucets.
	Contract  ident.Address
	Threshold int // how many attesters must sign a claim
	Attesters []Attester
}

// Attester is a key that attests payments.
type Attester struct {
	Key ident.PublicKey
	URL string // base URL of the service that returns attestations; may be empty
}

// Has reports whether key is one of the attesters.
func (s *Settlement) Has(key ident.PublicKey) bool {
	return slices.ContainsFunc(s.Attesters, func(a Attester) bool { return a.Key == key })
}

// Equal reports whether two settlements are the same.
func (s *Settlement) Equal(other *Settlement) bool {
	return s.ChainID == other.ChainID && s.Contract == other.Contract && s.Threshold == other.Threshold &&
		slices.Equal(s.Attesters, other.Attesters)
}

// Domain returns what attestations are valid for on the chain with these parameters.
func (s *Settlement) Domain(chain *Params) custody.SettlementDomain {
	return custody.SettlementDomain{
		Network: chain.Network, ChainID: chain.ChainID, SettlementChainID: s.ChainID, Contract: s.Contract, V1: !HasSettlementRules(chain.rules()),
	}
}

// SettlementError is returned for a field of a settlement that is not valid. Field is its JSON name.
type SettlementError struct {
	Field  string
	Reason string
}

// Error returns the field and the reason.
func (e *SettlementError) Error() string { return "settlement." + e.Field + ": " + e.Reason }

// Validate checks a settlement of a chain of the given network. It returns a *SettlementError for the first field that
// is not valid.
func (s *Settlement) Validate(network pb.Network) error {
	wrong := func(field, format string, args ...any) error {
		return &SettlementError{Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	switch count := len(s.Attesters); {
	case count > MaxAttesters:
		return wrong("attesters", "has %d entries, at most %d are allowed", count, MaxAttesters)
	case count == 0 && s.Threshold != 0:
		return wrong("threshold", "is %d without attesters, want 0", s.Threshold)
	case count > 0 && (s.Threshold < 1 || s.Threshold > count):
		return wrong("threshold", "is %d, want 1 to %d", s.Threshold, count)
	case s.ChainID > MaxSettlementChainID:
		return wrong("chain_id", "is %d, at most %d is allowed", s.ChainID, uint64(MaxSettlementChainID))
	case count > 0 && s.ChainID == 0:
		return wrong("chain_id", "is not set")
	case count > 0 && s.Contract == (ident.Address{}) && network != pb.Network_NETWORK_DEVNET:
		return wrong("contract", "is not set, and only a development chain has a faucet instead of a contract")
	}
	for i, attester := range s.Attesters {
		field := fmt.Sprintf("attesters[%d]", i)
		before := Settlement{Attesters: s.Attesters[:i]}
		switch {
		case attester.Key == (ident.PublicKey{}):
			return wrong(field+".public_key", "is not set")
		case attester.Key.SmallOrder():
			return wrong(field+".public_key", "%v is a key of small order", attester.Key)
		case before.Has(attester.Key):
			return wrong(field+".public_key", "%v is a duplicate", attester.Key)
		case len(attester.URL) > MaxAttesterURL:
			return wrong(field+".url", "has %d bytes, at most %d are allowed", len(attester.URL), MaxAttesterURL)
		case attester.URL != "" && !message.IsBaseURL(attester.URL):
			return wrong(field+".url", "%q is not an absolute http or https URL without userinfo, query and fragment", attester.URL)
		}
	}
	return nil
}
