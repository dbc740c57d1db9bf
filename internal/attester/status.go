package attester

import "makechain/internal/ident"

// A Status describes an attester.
type Status struct {
	Attester          string           `json:"attester"`
	ChainID           string           `json:"chain_id"`
	SettlementChainID uint64           `json:"settlement_chain_id"`
	Contract          string           `json:"contract"`
	Signing           bool             `json:"signing"`
	Reason            string           `json:"reason"`
	Detail            string           `json:"detail"`
	Block             uint64           `json:"block"`
	Lag               uint64           `json:"lag"`
	Payments          uint32           `json:"payments"`
	Suspended         int              `json:"suspended"`
	Rescanned         int64            `json:"rescanned"`
	Providers         []ProviderStatus `json:"providers"`
}

// A ProviderStatus is what a provider last reported.
type ProviderStatus struct {
	Host      string `json:"host"`
	Finalized uint64 `json:"finalized"`
}

// Status returns the status.
func (a *Attester) Status() Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := Status{
		Attester: a.config.Signer.Key().String(), ChainID: a.settlement.Domain.ChainID, SettlementChainID: a.settlement.Domain.SettlementChainID,
		Contract: a.settlement.Domain.Contract.String(), Signing: a.halted == nil, Suspended: len(a.suspended), Providers: []ProviderStatus{},
	}
	if a.halted != nil {
		s.Reason, s.Detail = string(a.halted.Reason), a.halted.Error()
	}
	highest := uint64(0)
	for i, provider := range a.config.Providers {
		one := ProviderStatus{Host: provider.Name()}
		if a.heads != nil {
			one.Finalized = a.heads[i].Number
		}
		highest = max(highest, one.Finalized)
		s.Providers = append(s.Providers, one)
	}
	if a.store != nil {
		cursor := a.store.Cursor()
		s.Block, s.Payments, s.Rescanned = cursor.Number, a.store.Count(), cursor.Rescanned
		if cursor.Hash == (ident.Hash{}) {
			s.Lag = highest
		} else if highest > cursor.Number {
			s.Lag = highest - cursor.Number
		}
	}
	return s
}
