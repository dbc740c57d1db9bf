// Package settlementtest has an attester for tests, which signs payments without a settlement chain.
package settlementtest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// Attester serves the attestations of its payments like makechain attester. It is not a complete service: it has no stream, list or limits,
// and believes the test.
type Attester struct {
	Seed   message.Seed
	Domain custody.SettlementDomain
	// Edit changes an answer after it was signed; nil for none.
	Edit func(document map[string]any)

	mu       sync.Mutex
	payments map[ident.Hash]payment // by transaction; guarded by mu
}

// payment is a payment and the account that it is for.
type payment struct {
	message.Settlement

	owner ident.Address
}

// Pay adds a payment, or replaces that of the same transaction.
func (a *Attester) Pay(owner ident.Address, s message.Settlement) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.payments == nil {
		a.payments = map[ident.Hash]payment{}
	}
	a.payments[s.TxHash] = payment{s, owner}
}

// Listed returns the attester as a settlement lists it.
func (a *Attester) Listed(url string) ledger.Attester {
	return ledger.Attester{Key: message.NewAuthor(a.Seed, 0, ident.Address{}).Key(), URL: url}
}

// ServeHTTP answers GET /attestations/{tx} and /attestations/{tx}/{log}.
func (a *Attester) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.payments {
		path := "/attestations/0x" + p.TxHash.String()
		if r.URL.Path != path && r.URL.Path != fmt.Sprintf("%s/%d", path, p.LogIndex) {
			continue
		}
		document := map[string]any{
			"chain_id": a.Domain.ChainID, "settlement_chain_id": a.Domain.SettlementChainID, "contract": a.Domain.Contract.String(),
			"tx": "0x" + p.TxHash.String(), "log_index": p.LogIndex, "owner": p.owner.String(), "actor": p.Actor.String(),
			"units": p.Units, "timestamp": p.Timestamp,
			"signature": hex.EncodeToString(p.Attest(a.Seed, a.Domain, p.owner).GetSignature()),
		}
		if a.Edit != nil {
			a.Edit(document)
		}
		write(w, http.StatusOK, document)
		return
	}
	write(w, http.StatusNotFound, map[string]any{"title": "Not Found", "detail": "the payment is not finalized: 12 blocks are missing"})
}

// write writes a document. A document that cannot be encoded is a defect of the test, which sees the status.
func write(w http.ResponseWriter, status int, document map[string]any) {
	encoded, err := json.Marshal(document)
	if err != nil {
		status = http.StatusInternalServerError
	}
	w.WriteHeader(status)
	_, _ = w.Write(encoded)
}
