package ledger

import (
	"bytes"
	"math"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// MaxGrants is the maximum number of active grants of an account (P8.2). It bounds what a sweep reads.
const MaxGrants = 10_000

// account reads an account row. An account without a row has all fields zero (P1.1).
func (s *transition) account(owner ident.Address) *pb.AccountRow {
	if row := load[pb.AccountRow](s.rows, schema.AccountKey(owner)); row != nil {
		return row
	}
	return &pb.AccountRow{}
}

func (s *transition) saveAccount(owner ident.Address, row *pb.AccountRow) {
	s.rows.put(schema.AccountKey(owner), row)
}

// sweep deletes the expired grants of an account, and releases its username if no storage is left (P8.5).
func (s *transition) sweep(owner ident.Address) *pb.AccountRow {
	row := s.account(owner)
	if row.GetNextExpiry() == 0 || !s.reached(uint64(row.GetNextExpiry())) {
		return row
	}
	s.dropExpiredGrants(owner, row)
	if row.GetStorageUnits() == 0 && row.GetUsername() != "" {
		s.rows.delete(schema.UsernameKey(row.GetUsername()))
		row.Username = ""
	}
	s.saveAccount(owner, row)
	s.affectAccount(owner)
	return row
}

// dropExpiredGrants deletes the expired grants and recomputes the units and next expiry of the account.
func (s *transition) dropExpiredGrants(owner ident.Address, row *pb.AccountRow) {
	var expired [][]byte
	var units uint64
	next := uint32(0)
	s.rows.scan(schema.StorageGrantPrefix(owner), func(key, value []byte) bool {
		parsed, err := schema.ParseKey(key)
		s.rows.fail(err)
		if s.reached(uint64(parsed.ExpiresAt)) {
			expired = append(expired, bytes.Clone(key))
			return true
		}
		if next == 0 {
			next = parsed.ExpiresAt
		}
		var grant pb.StorageGrantRow
		s.rows.fail(schema.Decode(value, &grant))
		units += uint64(grant.GetUnits())
		return true
	})
	for _, key := range expired {
		s.rows.delete(key)
	}
	row.StorageUnits = uint32(min(units, math.MaxUint32))
	row.NextExpiry = next
	row.GrantCount -= uint32(len(expired))
}

// requireUnits sweeps an account and returns its usable units. It refuses an account without any.
func (s *transition) requireUnits(owner ident.Address) (uint64, *message.Refusal) {
	units := UsableUnits(s.sweep(owner))
	if units == 0 {
		return 0, refuse(message.CodeNoUsableStorage, "account %s has no active storage, or no username", owner)
	}
	return uint64(units), nil
}

// UsableUnits returns the storage units that count for quotas: 0 without a username (P8.4).
func UsableUnits(row *pb.AccountRow) uint32 {
	if row.GetUsername() == "" {
		return 0
	}
	return row.GetStorageUnits()
}

func (s *transition) storageClaim(b *pb.StorageClaimBody) *message.Refusal {
	claim := custody.ClaimID(b.GetSettlementChainId(), hash(b.GetSettlementTxHash()), b.GetSettlementLogIndex())
	if refusal := s.checkAttestations(b, claim); refusal != nil {
		return refusal
	}
	if s.rows.has(schema.ClaimKey(claim)) {
		return refuse(message.CodeClaimUsed, "storage claim %s was already used", claim)
	}
	expires := b.GetSettlementTimestamp() + message.StorageTerm
	if s.reached(expires) || expires > math.MaxUint32 {
		return refuse(message.CodeClaimExpired, "the grant would expire at %d, the block time is %d", expires, s.block.Time)
	}
	row := s.account(s.Owner)
	ended := row.GetNextExpiry() != 0 && s.reached(uint64(row.GetNextExpiry()))
	if row.GetGrantCount() >= MaxGrants && !ended {
		return refuse(message.CodeQuotaExceeded, "account %s has %d active grants, which is the limit", s.Owner, MaxGrants)
	}
	s.rows.put(schema.StorageGrantKey(s.Owner, uint32(expires), claim),
		&pb.StorageGrantRow{Units: b.GetUnits(), Actor: b.GetActor()})
	s.rows.put(schema.ClaimKey(claim), &pb.ClaimRow{OwnerAddress: s.Owner[:]})
	row.GrantCount++
	row.UnitsGranted = uint32(min(uint64(row.GetUnitsGranted())+uint64(b.GetUnits()), math.MaxUint32))
	if ended {
		// The new grant is stored before expired ones are dropped, so that a late renewal keeps the username.
		s.dropExpiredGrants(s.Owner, row)
	} else {
		row.StorageUnits = uint32(min(uint64(row.GetStorageUnits())+uint64(b.GetUnits()), math.MaxUint32))
		if row.GetNextExpiry() == 0 || uint32(expires) < row.GetNextExpiry() {
			row.NextExpiry = uint32(expires)
		}
	}
	s.saveAccount(s.Owner, row)
	return nil
}

// checkAttestations checks that the claim is for the settlement chain, and that enough attesters signed it (P8.2).
func (s *transition) checkAttestations(b *pb.StorageClaimBody, claim ident.Hash) *message.Refusal {
	settlement := s.settlement()
	if len(settlement.Attesters) == 0 {
		return deny(message.CodeInsufficientAttestations, "this chain has no settlement attesters")
	}
	if got := b.GetSettlementChainId(); got != settlement.ChainID {
		return deny(message.CodeWrongSettlementChain, "the payment is on chain %d, the settlement chain is %d", got, settlement.ChainID)
	}
	digest := custody.SettlementDigest(s.attestedDomain(&settlement.Settlement), claim, s.Owner, b)
	valid := 0
	for _, attestation := range b.GetAttestations() {
		attester := publicKey(attestation.GetAttester())
		if settlement.Has(attester) && custody.VerifyAttestation(digest, attester, attestation.GetSignature()) == nil {
			valid++
		}
	}
	if valid < settlement.Threshold {
		return deny(message.CodeInsufficientAttestations, "%d of %s for this network, chain, contract, owner and units, %d required",
			valid, plural(uint64(len(b.GetAttestations())), "attestation")+" valid", settlement.Threshold)
	}
	return nil
}
