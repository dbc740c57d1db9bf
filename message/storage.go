package message

import (
	"math"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

const (
	// StorageTerm is the duration of a grant after its settlement, in seconds (P8.1).
	StorageTerm = 395 * 24 * 60 * 60

	// MaxAttestations is the maximum number of attestations in a claim (P5).
	MaxAttestations = 64
)

// SettlementDomain is what attestations are valid for: a chain, and a contract on its settlement chain (P8.2).
type SettlementDomain = custody.SettlementDomain

// Settlement is a purchase of storage on the settlement chain.
type Settlement struct {
	Units     uint32
	TxHash    Hash
	LogIndex  uint32
	Actor     Address // the payer
	Timestamp uint64  // Unix seconds
}

// Claim returns the body of a STORAGE_CLAIM for the settlement, without attestations.
func (s Settlement) Claim(domain SettlementDomain) *pb.StorageClaimBody {
	return &pb.StorageClaimBody{
		Units:               s.Units,
		SettlementTxHash:    s.TxHash[:],
		SettlementChainId:   domain.SettlementChainID,
		SettlementLogIndex:  s.LogIndex,
		Actor:               s.Actor[:],
		SettlementTimestamp: s.Timestamp,
	}
}

// ClaimID returns the id of the settlement, which can be claimed once (P8.2).
func (s Settlement) ClaimID(domain SettlementDomain) Hash {
	return custody.ClaimID(domain.SettlementChainID, s.TxHash, s.LogIndex)
}

// Digest returns what an attester signs: the settlement bought its units for owner (P8.2).
func (s Settlement) Digest(domain SettlementDomain, owner Address) Hash {
	return custody.SettlementDigest(domain, s.ClaimID(domain), owner, s.Claim(domain))
}

// Attest returns an attester's signature over the digest of the settlement.
func (s Settlement) Attest(attester Seed, domain SettlementDomain, owner Address) *pb.SettlementAttestation {
	key := ed25519.NewKeyFromSeed(attester[:])
	digest := s.Digest(domain, owner)
	return &pb.SettlementAttestation{Attester: key[ed25519.SeedSize:], Signature: ed25519.Sign(key, digest[:])}
}

// StorageClaim returns a message that converts a settlement into a grant.
func StorageClaim(claim *pb.StorageClaimBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_STORAGE_CLAIM,
		Body: &pb.MessageData_StorageClaim{StorageClaim: claim},
	}
}

// StorageClaim signs a message that claims a settlement for the author, with attestations of the given attesters.
func (a *Author) StorageClaim(timestamp uint32, domain SettlementDomain, s Settlement, attesters ...Seed) (*Envelope, error) {
	claim := s.Claim(domain)
	for _, attester := range attesters {
		claim.Attestations = append(claim.Attestations, s.Attest(attester, domain, a.owner))
	}
	return a.Sign(timestamp, StorageClaim(claim))
}

func checkStorageClaim(f *fields, b *pb.StorageClaimBody) {
	if b.GetUnits() == 0 {
		f.refuse("units", "0, at least 1")
	}
	f.hash("settlement_tx_hash", b.GetSettlementTxHash())
	if b.GetSettlementChainId() == 0 {
		f.refuse("settlement_chain_id", "0, at least 1")
	}
	f.address("actor", b.GetActor())
	// The expiry time of a grant is a 32-bit field of its key.
	if got := b.GetSettlementTimestamp(); got > math.MaxUint32-StorageTerm {
		f.refuse("settlement_timestamp", "%d, at most %d", got, math.MaxUint32-StorageTerm)
	}
	f.count("attestations", len(b.GetAttestations()), 1, MaxAttestations)
	f.attestations(b.GetAttestations())
}

func (f *fields) attestations(list []*pb.SettlementAttestation) {
	seen := make(map[Hash]struct{}, min(len(list), MaxAttestations))
	for i, attestation := range list {
		f.element("attestations", i)
		f.exactly("attester", attestation.GetAttester(), ident.PublicKeySize)
		f.unique("attester", attestation.GetAttester(), seen)
		f.exactly("signature", attestation.GetSignature(), SignatureSize)
		if f.refusal != nil {
			return
		}
	}
}
