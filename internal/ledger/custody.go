package ledger

import (
	"math"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// Limits on the delegated keys and on the custody keys of an account, each (P4.8).
const (
	MaxKeys               = 1_000
	MaxKeysWithoutStorage = 10
)

// blockTime returns the block time for a row. Custody operations record it instead of the timestamp of the message, which
// their signatures do not cover: anybody can wrap the body of a pending operation in another message.
func (s *transition) blockTime() uint32 {
	s.times = interval{s.block.Time, s.block.Time}
	return uint32(min(s.block.Time, math.MaxUint32))
}

// custodyRequest has the fields that the four custody operations have in common.
type custodyRequest interface {
	GetValidAfter() uint64
	GetValidBefore() uint64
	GetNonce() uint64
}

// checkCustody checks the validity period, nonce and signature of a custody operation on the author's account (P4.4,
// P4.5).
func (s *transition) checkCustody(b custodyRequest, digest [32]byte, signature []byte) *message.Refusal {
	if !s.reached(b.GetValidAfter()) {
		return deny(message.CodeTooEarly, "valid_after %d is after the block time %d", b.GetValidAfter(), s.block.Time)
	}
	if s.passed(b.GetValidBefore()) {
		return deny(message.CodeCustodyWindowClosed, "valid_before %d is before the block time %d", b.GetValidBefore(), s.block.Time)
	}
	if want := s.account(s.Owner).GetCustodyNonce(); b.GetNonce() != want {
		return deny(message.CodeCustodyNonceMismatch, "nonce is %d, the next custody nonce of the account is %d", b.GetNonce(), want)
	}
	return s.checkCustodySignature(s.Owner, digest, signature)
}

// checkCustodySignature checks that a custody signature is valid and authorized for an account (P4.4).
func (s *transition) checkCustodySignature(owner ident.Address, digest [32]byte, signature []byte) *message.Refusal {
	parsed, err := custody.Parse(signature)
	if err != nil {
		return deny(message.CodeBadCustodySignature, "%v", err)
	}
	account, wrapped := parsed.Account()
	if wrapped && account != owner {
		return deny(message.CodeCustodyNotAuthorized, "the signature is for account %s, not %s", account, owner)
	}
	keyID, err := parsed.Recover(digest)
	if err != nil {
		return deny(message.CodeBadCustodySignature, "%v", err)
	}
	if keyID == owner {
		return nil
	}
	if !wrapped {
		return deny(message.CodeCustodyNotAuthorized, "key %s is not the root key of account %s, and the signature is not wrapped", keyID, owner)
	}
	row := load[pb.CustodyKeyRow](s.rows, schema.CustodyKeyKey(owner, keyID))
	switch {
	case row == nil:
		return deny(message.CodeCustodyNotAuthorized, "key %s is not a custody key of account %s", keyID, owner)
	case row.GetStatus() != pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE:
		return deny(message.CodeCustodyNotAuthorized, "custody key %s of account %s is revoked", keyID, owner)
	case !row.GetAdmin():
		return deny(message.CodeCustodyNotAuthorized, "custody key %s of account %s is not an admin", keyID, owner)
	case row.GetExpiresAt() != 0 && s.reached(row.GetExpiresAt()):
		return deny(message.CodeCustodyNotAuthorized, "custody key %s of account %s is expired", keyID, owner)
	case row.GetSignatureType() != parsed.Type():
		return deny(message.CodeCustodyNotAuthorized, "custody key %s has type %s, the signature has type %s", keyID, row.GetSignatureType(), parsed.Type())
	}
	return nil
}

// checkKeyLimit refuses another key of an account that has count of its kind.
func (s *transition) checkKeyLimit(count uint32, kind string) *message.Refusal {
	if count < MaxKeysWithoutStorage {
		return nil
	}
	if s.sweep(s.Owner).GetStorageUnits() == 0 {
		return refuse(message.CodeQuotaExceeded, "an account without active storage can have at most %d %s keys", MaxKeysWithoutStorage, kind)
	}
	if count >= MaxKeys {
		return refuse(message.CodeQuotaExceeded, "an account can have at most %d %s keys", MaxKeys, kind)
	}
	return nil
}

// finishCustody increments the custody nonce and changes the numbers of delegated and custody keys.
func (s *transition) finishCustody(delegated, custody int) {
	row := s.account(s.Owner)
	row.CustodyNonce++
	row.KeyCount = uint32(int(row.GetKeyCount()) + delegated)
	row.CustodyKeyCount = uint32(int(row.GetCustodyKeyCount()) + custody)
	s.saveAccount(s.Owner, row)
}

func (s *transition) signerAdd(b *pb.SignerAddBody) *message.Refusal {
	if refusal := s.checkCustody(b, custody.SignerAddDigest(s.params.Network, s.Owner, b), b.GetCustodySignature()); refusal != nil {
		return refusal
	}
	requester := address(b.GetRequestOwnerAddress())
	digest := custody.SignerRequestDigest(s.params.Network, s.Owner, b)
	if refusal := s.checkCustodySignature(requester, digest, b.GetRequestSignature()); refusal != nil {
		refusal.Reason = "request_signature: " + refusal.Reason
		return refusal
	}
	key := publicKey(b.GetKey())
	if holder := load[pb.KeyOwnerRow](s.rows, schema.KeyOwnerKey(key)); holder != nil {
		return refuse(message.CodeKeyTaken, "key %s is already registered to account %s", key, address(holder.GetOwnerAddress()))
	}
	if refusal := s.checkKeyLimit(s.account(s.Owner).GetKeyCount(), "delegated"); refusal != nil {
		return refusal
	}
	s.rows.put(schema.KeyOwnerKey(key), &pb.KeyOwnerRow{OwnerAddress: s.Owner[:]})
	s.rows.put(schema.DelegatedKeyKey(s.Owner, key), &pb.DelegatedKeyRow{
		Scope:               pb.KeyScope(b.GetScope()),
		AllowedProjects:     b.GetAllowedProjects(),
		AddedAt:             s.blockTime(),
		RequestOwnerAddress: b.GetRequestOwnerAddress(),
	})
	s.finishCustody(+1, 0)
	return nil
}

func (s *transition) signerRemove(b *pb.SignerRemoveBody) *message.Refusal {
	if refusal := s.checkCustody(b, custody.SignerRemoveDigest(s.params.Network, s.Owner, b), b.GetCustodySignature()); refusal != nil {
		return refusal
	}
	key := publicKey(b.GetKey())
	if !s.rows.has(schema.DelegatedKeyKey(s.Owner, key)) {
		return refuse(message.CodeNotFound, "key %s is not registered to account %s", key, s.Owner)
	}
	s.rows.delete(schema.DelegatedKeyKey(s.Owner, key))
	s.rows.delete(schema.KeyOwnerKey(key))
	s.finishCustody(-1, 0)
	return nil
}

func (s *transition) keychainAuthorize(b *pb.KeychainAuthorizeBody) *message.Refusal {
	if refusal := s.checkCustody(b, custody.AuthorizeDigest(s.params.Network, s.Owner, b), b.GetAuthorizationSignature()); refusal != nil {
		return refusal
	}
	keyID := address(b.GetKeyId())
	key := schema.CustodyKeyKey(s.Owner, keyID)
	if stored := load[pb.CustodyKeyRow](s.rows, key); stored != nil {
		if stored.GetStatus() == pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED {
			return refuse(message.CodeKeyRevoked, "custody key %s is revoked and cannot be authorized again", keyID)
		}
		return refuse(message.CodeDuplicate, "custody key %s is already active", keyID)
	}
	if refusal := s.checkKeyLimit(s.account(s.Owner).GetCustodyKeyCount(), "custody"); refusal != nil {
		return refusal
	}
	s.rows.put(key, &pb.CustodyKeyRow{
		SignatureType: b.GetSignatureType(),
		PublicKey:     b.GetPublicKey(),
		Admin:         b.GetAdmin(),
		ExpiresAt:     b.GetExpiresAt(),
		AddedAt:       s.blockTime(),
		Status:        pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE,
	})
	s.finishCustody(0, +1)
	return nil
}

func (s *transition) keychainRevoke(b *pb.KeychainRevokeBody) *message.Refusal {
	if refusal := s.checkCustody(b, custody.RevokeDigest(s.params.Network, s.Owner, b), b.GetRevocationSignature()); refusal != nil {
		return refusal
	}
	keyID := address(b.GetKeyId())
	key := schema.CustodyKeyKey(s.Owner, keyID)
	stored := load[pb.CustodyKeyRow](s.rows, key)
	if stored == nil {
		return refuse(message.CodeNotFound, "account %s has no custody key %s to revoke", s.Owner, keyID)
	}
	if stored.GetStatus() == pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED {
		return refuse(message.CodeKeyRevoked, "custody key %s is already revoked", keyID)
	}
	stored.Status, stored.RevokedAt = pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED, s.blockTime()
	s.rows.put(key, stored)
	s.finishCustody(0, 0)
	return nil
}
