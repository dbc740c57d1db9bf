package custody_test

import (
	"bytes"
	stded25519 "crypto/ed25519"
	"crypto/sha256"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// TestClaimIDCoversEveryPart checks that the claim id changes with each part of a payment's identity.
//
// Rules: P8.2.
func TestClaimIDCoversEveryPart(t *testing.T) {
	t.Parallel()
	tx := ident.Hash{1}
	ids := map[ident.Hash]string{
		custody.ClaimID(42431, tx, 7):            "payment",
		custody.ClaimID(4217, tx, 7):             "other chain",
		custody.ClaimID(42431, ident.Hash{2}, 7): "other transaction",
		custody.ClaimID(42431, tx, 8):            "other log",
		custody.ClaimID(42431, tx, 7<<24):        "log in other byte order",
	}
	if len(ids) != 5 {
		t.Errorf("only %d different ids: %v", len(ids), ids)
	}
}

// TestAttestation checks that an attestation is invalid for any other settlement, owner, network, chain or contract.
//
// Rules: P8.2.
func TestAttestation(t *testing.T) {
	t.Parallel()
	domain := custody.SettlementDomain{Network: pb.Network_NETWORK_DEVNET, ChainID: "ours-1", SettlementChainID: 31_337, Contract: ident.Address{7}}
	in := func(change func(*custody.SettlementDomain)) custody.SettlementDomain {
		other := domain
		change(&other)
		return other
	}
	seed := sha256.Sum256([]byte("attester"))
	key := stded25519.NewKeyFromSeed(seed[:])
	attester := ident.PublicKey(key.Public().(stded25519.PublicKey))
	claim, owner := ident.Hash{1}, ident.Address{2}
	body := func(actor byte, units uint32, at uint64) *pb.StorageClaimBody {
		return &pb.StorageClaimBody{Actor: bytes.Repeat([]byte{actor}, 20), Units: units, SettlementTimestamp: at}
	}
	signed := custody.SettlementDigest(domain, claim, owner, body(3, 4, 5))
	sig := stded25519.Sign(key, signed[:])

	withAttestations := body(3, 4, 5)
	withAttestations.Attestations = []*pb.SettlementAttestation{{Attester: attester[:], Signature: sig}}
	cases := []struct {
		name     string
		digest   ident.Hash
		attester ident.PublicKey
		sig      []byte
		ok       bool
	}{
		{"good", signed, attester, sig, true},
		{"attestations present", custody.SettlementDigest(domain, claim, owner, withAttestations), attester, sig, true},
		{"other network", custody.SettlementDigest(in(func(d *custody.SettlementDomain) { d.Network = 1 }), claim, owner, body(3, 4, 5)), attester, sig, false},
		{"other chain id", custody.SettlementDigest(in(func(d *custody.SettlementDomain) { d.ChainID = "ours-2" }), claim, owner, body(3, 4, 5)), attester, sig, false},
		{"longer chain id", custody.SettlementDigest(in(func(d *custody.SettlementDomain) { d.ChainID += "\x07" }), claim, owner, body(3, 4, 5)), attester, sig, false},
		{"other contract", custody.SettlementDigest(in(func(d *custody.SettlementDomain) { d.Contract = ident.Address{8} }), claim, owner, body(3, 4, 5)), attester, sig, false},
		{"digest v1", custody.SettlementDigest(in(func(d *custody.SettlementDomain) { d.V1 = true }), claim, owner, body(3, 4, 5)), attester, sig, false},
		{"other claim", custody.SettlementDigest(domain, ident.Hash{9}, owner, body(3, 4, 5)), attester, sig, false},
		{"other owner", custody.SettlementDigest(domain, claim, ident.Address{9}, body(3, 4, 5)), attester, sig, false},
		{"other actor", custody.SettlementDigest(domain, claim, owner, body(9, 4, 5)), attester, sig, false},
		{"other units", custody.SettlementDigest(domain, claim, owner, body(3, 9, 5)), attester, sig, false},
		{"other time", custody.SettlementDigest(domain, claim, owner, body(3, 4, 9)), attester, sig, false},
		{"other attester", signed, ident.PublicKey(seed), sig, false},
		{"changed", signed, attester, flipped(sig), false},
		{"short", signed, attester, sig[:63], false},
		{"empty", signed, attester, nil, false},
	}
	for _, c := range cases {
		if err := custody.VerifyAttestation(c.digest, c.attester, c.sig); (err == nil) != c.ok {
			t.Errorf("%s: error %v, want success %t", c.name, err, c.ok)
		}
	}
}
