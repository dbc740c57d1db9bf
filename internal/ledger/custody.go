package ledger

import (
	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// MaxDelegatedKeys bounds the Ed25519 keys of an account (P4.8).
const MaxDelegatedKeys = 1_000

// custodyRequest is what the four custody operations have in common.
type custodyRequest interface {
	GetValidAfter() uint64
	GetValidBefore() uint64
	GetNonce() uint64
}

// needCustody checks window, nonce and signature of an operation on the author's account (P4.4, P4.5).
func (s *step) needCustody(b custodyRequest, digest [32]byte, signature []byte) *message.Refusal {
	if b.GetValidAfter() > s.block.Time {
		return deny(message.CodeTooEarly, "valid_after %d is after the block's time %d", b.GetValidAfter(), s.block.Time)
	}
	if b.GetValidBefore() < s.block.Time {
		return deny(message.CodeCustodyWindowClosed, "valid_before %d is before the block's time %d", b.GetValidBefore(), s.block.Time)
	}
	if want := s.account(s.Owner).GetCustodyNonce(); b.GetNonce() != want {
		return deny(message.CodeCustodyNonceMismatch, "nonce %d, the account's next custody nonce is %d", b.GetNonce(), want)
	}
	return s.acceptSignature(s.Owner, digest, signature)
}

// acceptSignature decides whether a custody signature speaks for an account (P4.4).
func (s *step) acceptSignature(owner ident.Address, digest [32]byte, signature []byte) *message.Refusal {
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
		return deny(message.CodeCustodyNotAuthorized, "key %s is not the root of account %s, and the signature is not wrapped", keyID, owner)
	}
	row := load[pb.CustodyKeyRow](s.rows, schema.CustodyKeyKey(owner, keyID))
	switch {
	case row == nil:
		return deny(message.CodeCustodyNotAuthorized, "key %s is not a custody key of account %s", keyID, owner)
	case row.GetStatus() != pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE:
		return deny(message.CodeCustodyNotAuthorized, "custody key %s of account %s is revoked", keyID, owner)
	case !row.GetAdmin():
		return deny(message.CodeCustodyNotAuthorized, "custody key %s of account %s is not an admin", keyID, owner)
	case row.GetExpiresAt() != 0 && row.GetExpiresAt() <= s.block.Time:
		return deny(message.CodeCustodyNotAuthorized, "custody key %s of account %s is expired", keyID, owner)
	case row.GetSignatureType() != parsed.Type():
		return deny(message.CodeCustodyNotAuthorized, "custody key %s is of type %s, the signature is %s", keyID, row.GetSignatureType(), parsed.Type())
	}
	return nil
}

// spendNonce completes a custody operation; change adjusts the rest of the account.
func (s *step) spendNonce(change func(row *pb.AccountRow)) {
	row := s.account(s.Owner)
	row.CustodyNonce++
	change(row)
	s.saveAccount(s.Owner, row)
}

func (s *step) signerAdd(b *pb.SignerAddBody) *message.Refusal {
	if refusal := s.needCustody(b, custody.SignerAddDigest(s.params.Network, s.Owner, b), b.GetCustodySignature()); refusal != nil {
		return refusal
	}
	requester := address(b.GetRequestOwnerAddress())
	if refusal := s.acceptSignature(requester, custody.SignerRequestDigest(s.params.Network, s.Owner, b), b.GetRequestSignature()); refusal != nil {
		refusal.Reason = "request_signature: " + refusal.Reason
		return refusal
	}
	key := publicKey(b.GetKey())
	if holder := load[pb.KeyOwnerRow](s.rows, schema.KeyOwnerKey(key)); holder != nil {
		return refuse(message.CodeKeyTaken, "key %s is registered to account %s", key, address(holder.GetOwnerAddress()))
	}
	if s.account(s.Owner).GetKeyCount() >= MaxDelegatedKeys {
		return refuse(message.CodeQuotaExceeded, "an account has at most %d keys", MaxDelegatedKeys)
	}
	s.rows.put(schema.KeyOwnerKey(key), &pb.KeyOwnerRow{OwnerAddress: s.Owner[:]})
	s.rows.put(schema.DelegatedKeyKey(s.Owner, key), &pb.DelegatedKeyRow{
		Scope:               pb.KeyScope(b.GetScope()),
		AllowedProjects:     b.GetAllowedProjects(),
		AddedAt:             s.timestamp(),
		RequestOwnerAddress: b.GetRequestOwnerAddress(),
	})
	s.spendNonce(func(row *pb.AccountRow) { row.KeyCount++ })
	return nil
}

func (s *step) signerRemove(b *pb.SignerRemoveBody) *message.Refusal {
	if refusal := s.needCustody(b, custody.SignerRemoveDigest(s.params.Network, s.Owner, b), b.GetCustodySignature()); refusal != nil {
		return refusal
	}
	key := publicKey(b.GetKey())
	if !s.rows.has(schema.DelegatedKeyKey(s.Owner, key)) {
		return refuse(message.CodeNotFound, "key %s is not registered to account %s", key, s.Owner)
	}
	s.rows.delete(schema.DelegatedKeyKey(s.Owner, key))
	s.rows.delete(schema.KeyOwnerKey(key))
	s.spendNonce(func(row *pb.AccountRow) { row.KeyCount-- })
	return nil
}

func (s *step) keychainAuthorize(b *pb.KeychainAuthorizeBody) *message.Refusal {
	if refusal := s.needCustody(b, custody.AuthorizeDigest(s.params.Network, s.Owner, b), b.GetAuthorizationSignature()); refusal != nil {
		return refusal
	}
	keyID := address(b.GetKeyId())
	key := schema.CustodyKeyKey(s.Owner, keyID)
	if stored := load[pb.CustodyKeyRow](s.rows, key); stored != nil {
		if stored.GetStatus() == pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED {
			return refuse(message.CodeKeyRevoked, "custody key %s was revoked and can never be authorized again", keyID)
		}
		return refuse(message.CodeDuplicate, "custody key %s is already active", keyID)
	}
	s.rows.put(key, &pb.CustodyKeyRow{
		SignatureType: b.GetSignatureType(),
		PublicKey:     b.GetPublicKey(),
		Admin:         b.GetAdmin(),
		ExpiresAt:     b.GetExpiresAt(),
		AddedAt:       s.timestamp(),
		Status:        pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE,
	})
	s.spendNonce(func(*pb.AccountRow) {})
	return nil
}

func (s *step) keychainRevoke(b *pb.KeychainRevokeBody) *message.Refusal {
	if refusal := s.needCustody(b, custody.RevokeDigest(s.params.Network, s.Owner, b), b.GetRevocationSignature()); refusal != nil {
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
	stored.Status, stored.RevokedAt = pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED, s.timestamp()
	s.rows.put(key, stored)
	s.spendNonce(func(*pb.AccountRow) {})
	return nil
}
