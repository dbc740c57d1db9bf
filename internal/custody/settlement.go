package custody

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Domain prefixes of the two settlement hashes (P8.2).
const (
	claimIDPrefix    = "makechain:storage-claim:v1"
	settlementPrefix = "makechain:settlement:v1"
)

// ClaimID returns the id of a payment on the host chain, which can be claimed once (P8.2).
func ClaimID(chainID uint64, txHash ident.Hash, logIndex uint32) ident.Hash {
	b := append(make([]byte, 0, payloadSizeHint), claimIDPrefix...)
	b = binary.LittleEndian.AppendUint64(b, chainID)
	b = append(b, txHash[:]...)
	return blake3.Sum256(binary.LittleEndian.AppendUint32(b, logIndex))
}

// SettlementDigest returns the digest that an attester signs: the payment claimID bought owner the units of b at the
// time of b (P8.2). The attestations of b are not part of it.
func SettlementDigest(network pb.Network, claimID ident.Hash, owner ident.Address, b *pb.StorageClaimBody) ident.Hash {
	p := append(make([]byte, 0, payloadSizeHint), settlementPrefix...)
	p = binary.LittleEndian.AppendUint32(p, uint32(network))
	p = append(p, claimID[:]...)
	p = append(p, owner[:]...)
	p = append(p, b.GetActor()...)
	p = binary.LittleEndian.AppendUint32(p, b.GetUnits())
	return blake3.Sum256(binary.LittleEndian.AppendUint64(p, b.GetSettlementTimestamp()))
}

// VerifyAttestation verifies an attester's signature over a settlement digest. The caller checks that the attester is in
// the genesis.
func VerifyAttestation(digest ident.Hash, attester ident.PublicKey, signature []byte) error {
	if !verifyEd25519(attester, digest[:], signature) {
		return fmt.Errorf("attestation of %s does not verify", attester)
	}
	return nil
}
