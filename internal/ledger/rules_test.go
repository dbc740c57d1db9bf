package ledger_test

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// rules3Params returns the parameters of a test chain of rules version 3.
func rules3Params() ledger.Params {
	var attesters []ledger.Attester
	for _, attester := range ledgertest.Settlement().Attesters {
		attesters = append(attesters, ledger.Attester{Key: attester.Key})
	}
	return ledger.Params{
		Network: ledgertest.Network, ChainID: ledgertest.Domain().ChainID, Rules: 3,
		Settlement: ledger.HostSettlement(ledgertest.Network, ledgertest.Threshold, attesters...),
	}
}

// TestRules3Claims checks that a chain of rules version 3 accepts the attestations of that version, which are for a network, and that
// it refuses those of version 4 and other settlement chains than that of the network.
//
// Rules: P8.2, P11.3.
func TestRules3Claims(t *testing.T) {
	t.Parallel()
	params := rules3Params()
	chain := ledgertest.NewWithParams(t, params)
	alice, err := ledgertest.NewActor(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, "alice")
	if err != nil {
		t.Fatal(err)
	}
	claim := func(number byte, edit func(*message.SettlementDomain)) *message.Refusal {
		t.Helper()
		domain := params.Settlement.Domain(&params)
		edit(&domain)
		payment := message.Settlement{Units: 1, TxHash: ident.Hash{number}, Actor: alice.Address, Timestamp: uint64(chain.Now())}
		m, err := alice.StorageClaim(chain.Now(), domain, payment, ledgertest.Attester(0), ledgertest.Attester(1))
		if err != nil {
			t.Fatal(err)
		}
		_, refusal, err := ledger.New(params).Begin(chain.Rows, chain.Block).Apply(m)
		if err != nil {
			t.Fatal(err)
		}
		return refusal
	}
	if refusal := claim(1, func(*message.SettlementDomain) {}); refusal != nil {
		t.Errorf("version 3: %v", refusal)
	}
	if refusal := claim(2, func(d *message.SettlementDomain) { d.ChainID, d.Contract = "other", ident.Address{9} }); refusal != nil {
		t.Errorf("the digest of version 3 has neither the chain id nor the contract: %v", refusal)
	}
	if refusal := claim(3, func(d *message.SettlementDomain) { d.V1 = false }); refusal == nil || refusal.Code != message.CodeInsufficientAttestations {
		t.Errorf("version 4: %v", refusal)
	}
	refusal := claim(4, func(d *message.SettlementDomain) { d.SettlementChainID++ })
	if refusal == nil || refusal.Code != message.CodeInvalidField || refusal.Field != "storage_claim.settlement_chain_id" {
		t.Errorf("another settlement chain: %v", refusal)
	}
}

// TestReuseOtherRules checks that an execution is not reused by another version of the rules.
//
// Rules: P6.2, P11.3.
func TestReuseOtherRules(t *testing.T) {
	t.Parallel()
	r := newReuseTest(t)
	bio := r.Sign(r.alice, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "second"))
	r.admit(r.session(), bio)
	for rules, want := range map[uint64]int{3: 0, 4: 1} {
		params := r.Params
		params.Rules = rules
		result, err := ledger.New(params).Reusing(r.reuse).Assemble(r.Rows, r.Block, []*message.Envelope{bio}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if result.Reused != want || len(result.Applied) != 1 {
			t.Errorf("version %d: %d executions are reused, want %d", rules, result.Reused, want)
		}
	}
}
