package settlement_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/settlement"
	"makechain/internal/settlement/settlementtest"
	"makechain/message"
)

// collection is three attesters, of which two must sign.
type collection struct {
	domain   custody.SettlementDomain
	services []*settlementtest.Attester
	chain    ledger.Settlement
}

// paid returns the payment of the tests.
func paid() message.Settlement {
	return message.Settlement{Units: 3, TxHash: ident.Hash{9}, LogIndex: 4, Actor: ident.Address{2}, Timestamp: 1_800_000_000}
}

func newCollection(t *testing.T) *collection {
	t.Helper()
	c := &collection{
		domain: custody.SettlementDomain{Network: pb.Network_NETWORK_TESTNET, ChainID: "ours", SettlementChainID: 31337, Contract: ident.Address{7}},
		chain:  ledger.Settlement{ChainID: 31337, Contract: ident.Address{7}, Threshold: 2},
	}
	for i := range byte(3) {
		a := &settlementtest.Attester{Seed: message.Seed{1, 2, 3, i}, Domain: c.domain}
		a.Pay(ident.Address{1}, paid())
		server := httptest.NewServer(a)
		t.Cleanup(server.Close)
		c.services = append(c.services, a)
		c.chain.Attesters = append(c.chain.Attesters, a.Listed(server.URL))
	}
	return c
}

func (c *collection) collect(t *testing.T) (*settlement.Claimable, error) {
	t.Helper()
	return settlement.Collect(t.Context(), c.domain, &c.chain, settlement.Payment{Tx: ident.Hash{9}})
}

// TestCollect checks that two of three attesters suffice when the third is down, is malicious in any way, or has no URL, and that
// one does not.
//
// Rules: P8.2.
func TestCollect(t *testing.T) {
	t.Parallel()
	set := func(field string, value any) func(*collection, int) {
		return func(c *collection, i int) {
			c.services[i].Edit = func(document map[string]any) { document[field] = value }
		}
	}
	for name, fault := range map[string]struct {
		inject func(c *collection, i int)
		reason string
	}{
		"down":   {func(c *collection, i int) { c.chain.Attesters[i].URL = "http://127.0.0.1:1" }, "127.0.0.1:1"},
		"no URL": {func(c *collection, i int) { c.chain.Attesters[i].URL = "" }, "has no URL"},
		"not finalized": {func(c *collection, i int) {
			c.services[i] = &settlementtest.Attester{Seed: c.services[i].Seed, Domain: c.domain}
			server := httptest.NewServer(c.services[i])
			t.Cleanup(server.Close)
			c.chain.Attesters[i].URL = server.URL
		}, "12 blocks are missing"},
		"other payment":         {set("tx", "0x"+ident.Hash{8}.String()), "another payment"},
		"other owner":           {set("owner", ident.Address{5}.String()), "another chain, contract, owner"},
		"other units":           {set("units", 1_000), "number of units"},
		"other log":             {set("log_index", 5), "another chain, contract, owner"},
		"other chain":           {func(c *collection, i int) { c.services[i].Domain.ChainID = "theirs" }, "for another chain"},
		"other network":         {func(c *collection, i int) { c.services[i].Domain.Network = pb.Network_NETWORK_MAINNET }, "for another chain"},
		"other contract":        {func(c *collection, i int) { c.services[i].Domain.Contract = ident.Address{8} }, "contract"},
		"other settlement":      {func(c *collection, i int) { c.services[i].Domain.SettlementChainID = 1 }, "for another chain"},
		"other key":             {func(c *collection, i int) { c.services[i].Seed[31] = 77 }, "another key"},
		"no signature":          {set("signature", ""), "does not verify"},
		"signature of no bytes": {set("signature", "zz"), "not hex"},
		"no owner":              {set("owner", "somebody"), "owner"},
		"endless":               {set("padding", strings.Repeat("x", 1<<20)), "more than"},
		"redirect": {func(c *collection, i int) {
			redirect := httptest.NewServer(http.RedirectHandler(c.chain.Attesters[i].URL+"/attestations/0x"+ident.Hash{9}.String(), http.StatusFound))
			t.Cleanup(redirect.Close)
			c.chain.Attesters[i].URL = redirect.URL
		}, "status 302"},
	} {
		c := newCollection(t)
		fault.inject(c, 1)
		got, err := c.collect(t)
		if err != nil || got.Owner != (ident.Address{1}) || got.Claim.GetUnits() != 3 || len(got.Claim.GetAttestations()) != 2 || got.Claim.GetSettlementLogIndex() != 4 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		fault.inject(c, 2)
		failed := (*settlement.CollectError)(nil)
		if _, err := c.collect(t); !errors.As(err, &failed) || failed.Valid != 1 || failed.Required != 2 || !strings.Contains(err.Error(), fault.reason) {
			t.Errorf("%s twice: %v, want %q", name, err, fault.reason)
		}
	}
}

// TestCollectWrongSigner checks that attesters below the threshold that agree on a payment that was not made do not suffice, and that
// a payment can be named by its log.
func TestCollectWrongSigner(t *testing.T) {
	t.Parallel()
	c := newCollection(t)
	invented := paid()
	invented.Units = 1_000_000
	c.services[0].Pay(ident.Address{1}, invented) // signed properly
	got, err := c.collect(t)
	if err != nil || got.Claim.GetUnits() != 3 {
		t.Errorf("%v, %v", got, err)
	}
	log, other := uint32(4), uint32(5)
	payment := settlement.Payment{Tx: ident.Hash{9}, LogIndex: &log}
	if got, err := settlement.Collect(t.Context(), c.domain, &c.chain, payment); err != nil || got.Claim.GetSettlementLogIndex() != 4 {
		t.Errorf("by log: %v, %v", got, err)
	}
	payment.LogIndex = &other
	if _, err := settlement.Collect(t.Context(), c.domain, &c.chain, payment); err == nil {
		t.Error("a log without a payment was collected")
	}
	if _, err := settlement.Collect(t.Context(), c.domain, &ledger.Settlement{}, payment); err == nil {
		t.Error("a chain without attesters has a claim")
	}
}

// TestCollectSlow checks that an attester which accepts the request and does not answer does not delay a claim: Collect returns while that
// attester still waits.
//
// Rules: P8.2.
func TestCollectSlow(t *testing.T) {
	t.Parallel()
	c := newCollection(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		select {
		case <-answer:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(answer) })
	honest := c.chain.Attesters[1].URL
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-asked // the slow attester has the request before the threshold is reached
		c.services[1].ServeHTTP(w, r)
	}))
	t.Cleanup(gate.Close)
	c.chain.Attesters[0].URL, c.chain.Attesters[1].URL = slow.URL, gate.URL
	// The slow attester answers when the test ends, so Collect would return the reason of its timeout if it waited.
	got, err := c.collect(t)
	if err != nil || len(got.Claim.GetAttestations()) != 2 {
		t.Errorf("with %s slow and %s honest: %v, %v", slow.URL, honest, got, err)
	}
	for _, attestation := range got.Claim.GetAttestations() {
		if bytes.Equal(attestation.GetAttester(), c.chain.Attesters[0].Key[:]) {
			t.Error("an attestation of the slow attester")
		}
	}
}
