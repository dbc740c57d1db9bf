package message

import (
	"testing"

	pb "makechain/gen/makechain"
)

// attestationsOf returns n attestations by n different attesters.
func attestationsOf(n int) []*pb.SettlementAttestation {
	list := make([]*pb.SettlementAttestation, n)
	for i := range list {
		list[i] = &pb.SettlementAttestation{Attester: append(make([]byte, 31), byte(i)), Signature: make([]byte, 64)}
	}
	return list
}

// testDomain returns what the attestations of the tests are valid for.
func testDomain() SettlementDomain {
	return SettlementDomain{Network: pb.Network_NETWORK_DEVNET, ChainID: "test-1", SettlementChainID: 31_337, Contract: Address{5}}
}

// TestStorageClaimBounds checks the field limits of STORAGE_CLAIM.
//
// Rules: P5/STORAGE_CLAIM.
func TestStorageClaimBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.StorageClaimBody
	good := func() *pb.MessageData {
		settlement := Settlement{Units: 3, TxHash: otherID, LogIndex: 1, Actor: stranger, Timestamp: testTime}
		return must(testAuthor(t).StorageClaim(testTime, testDomain(), settlement, Seed{21}, Seed{22}))(t).Data
	}
	attested := func(change func(*pb.SettlementAttestation)) func(body) {
		return func(b body) { change(b.Attestations[1]) }
	}
	checkBounds(t, good, (*pb.MessageData).GetStorageClaim, []bound[body]{
		{"one unit", func(b body) { b.Units = 1 }, ""},
		{"most units", func(b body) { b.Units = 1<<32 - 1 }, ""},
		{"no units", func(b body) { b.Units = 0 }, "storage_claim.units: 0, at least 1"},
		{"no transaction", func(b body) { b.SettlementTxHash = nil }, "storage_claim.settlement_tx_hash: 0 bytes, want 32"},
		{"no chain", func(b body) { b.SettlementChainId = 0 }, "storage_claim.settlement_chain_id: 0, at least 1"},
		{"any chain", func(b body) { b.SettlementChainId = 1 }, ""},
		{"first log", func(b body) { b.SettlementLogIndex = 0 }, ""},
		{"no actor", func(b body) { b.Actor = nil }, "storage_claim.actor: 0 bytes, want 20"},
		{"latest time", func(b body) { b.SettlementTimestamp = 4_260_839_295 }, ""},
		{"too late", func(b body) { b.SettlementTimestamp = 4_260_839_296 }, "storage_claim.settlement_timestamp: 4260839296, at most 4260839295"},
		{"largest timestamp", func(b body) { b.SettlementTimestamp = 1<<64 - 1 }, "storage_claim.settlement_timestamp: 18446744073709551615, at most 4260839295"},
		{"no attestations", func(b body) { b.Attestations = nil }, "storage_claim.attestations: 0 elements, at least 1"},
		{"most attestations", func(b body) { b.Attestations = attestationsOf(64) }, ""},
		{"too many attestations", func(b body) { b.Attestations = attestationsOf(65) }, "storage_claim.attestations: 65 elements, at most 64"},
		{
			"short attester", attested(func(a *pb.SettlementAttestation) { a.Attester = a.Attester[1:] }),
			"storage_claim.attestations[1].attester: 31 bytes, want 32",
		},
		{
			"short signature", attested(func(a *pb.SettlementAttestation) { a.Signature = a.Signature[1:] }),
			"storage_claim.attestations[1].signature: 63 bytes, want 64",
		},
		{
			"attester twice", func(b body) { b.Attestations[1].Attester = b.Attestations[0].Attester },
			"storage_claim.attestations[1].attester: " + testAuthorKey(21).String() + " is duplicated",
		},
	})
}
