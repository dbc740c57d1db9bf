package custody

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Domain prefixes of the settlement hashes (P8.2).
const (
	claimIDPrefix      = "makechain:storage-claim:v1"
	settlementPrefix   = "makechain:settlement:v2"
	settlementPrefixV1 = "makechain:settlement:v1"
)

// SettlementDomain is the chain on which attestations are valid, and the contract on the settlement chain that was paid.
type SettlementDomain struct {
	Network           pb.Network
	ChainID           string // of this chain
	SettlementChainID uint64 // of the EVM chain with the contract
	Contract          ident.Address
	// V1 selects the digest of rules version 3, which has neither the chain id nor the contract.
	V1 bool
}

// ClaimID returns the id of a payment on the settlement chain, which can be claimed once (P8.2).
func ClaimID(chainID uint64, txHash ident.Hash, logIndex uint32) ident.Hash {
	b := append(make([]byte, 0, payloadSizeHint), claimIDPrefix...)
	b = binary.LittleEndian.AppendUint64(b, chainID)
	b = append(b, txHash[:]...)
	return blake3.Sum256(binary.LittleEndian.AppendUint32(b, logIndex))
}

// SettlementDigest returns the digest that an attester signs: the payment claimID bought owner the units of b at the
// time of b (P8.2). The attestations of b are not part of it. The settlement chain is a part of claimID.
func SettlementDigest(domain SettlementDomain, claimID ident.Hash, owner ident.Address, b *pb.StorageClaimBody) ident.Hash {
	prefix := settlementPrefix
	if domain.V1 {
		prefix = settlementPrefixV1
	}
	p := append(make([]byte, 0, payloadSizeHint), prefix...)
	p = binary.LittleEndian.AppendUint32(p, uint32(domain.Network))
	if !domain.V1 {
		p = append(append(p, byte(len(domain.ChainID))), domain.ChainID...)
		p = append(p, domain.Contract[:]...)
	}
	p = append(p, claimID[:]...)
	p = append(p, owner[:]...)
	p = append(p, b.GetActor()...)
	p = binary.LittleEndian.AppendUint32(p, b.GetUnits())
	return blake3.Sum256(binary.LittleEndian.AppendUint64(p, b.GetSettlementTimestamp()))
}

// VerifyAttestation verifies an attester's signature over a settlement digest. The caller checks that the attester
// is one of the chain.
func VerifyAttestation(digest ident.Hash, attester ident.PublicKey, signature []byte) error {
	if !verifyEd25519(attester, digest[:], signature) {
		return fmt.Errorf("attestation of %s does not verify", attester)
	}
	return nil
}
