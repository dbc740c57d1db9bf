package message

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
)

// Wallet signs custody digests. What it answers is used as it stands: a wallet that is not the root of the
// account has to answer in a keychain wrapper.
type Wallet interface {
	KeyID() Address
	Sign(digest [32]byte) ([]byte, error)
}

// Permit bounds a custody signature: the nonce of the account it is good for, and the time, in Unix seconds.
type Permit struct {
	Nonce       uint64
	ValidAfter  uint64
	ValidBefore uint64
	Witness     []byte // carried by keychain messages only
}

// SignerGrant describes a delegated key.
type SignerGrant struct {
	Key             PublicKey
	Scope           pb.KeyScope
	AllowedProjects []Hash
	Requester       Address // the account that asked for the key; zero means the author's own
}

// CustodyKey describes a custody key.
type CustodyKey struct {
	Type      pb.CustodySignatureType
	PublicKey []byte
	Admin     bool
	ExpiresAt uint64 // Unix seconds; 0 never expires
}

// SignerAdd registers a delegated key with signatures made elsewhere.
func SignerAdd(body *pb.SignerAddBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_SIGNER_ADD,
		Body: &pb.MessageData_SignerAdd{SignerAdd: body},
	}
}

// SignerRemove removes a delegated key with a signature made elsewhere.
func SignerRemove(body *pb.SignerRemoveBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_SIGNER_REMOVE,
		Body: &pb.MessageData_SignerRemove{SignerRemove: body},
	}
}

// KeychainAuthorize adds a custody key with a signature made elsewhere.
func KeychainAuthorize(body *pb.KeychainAuthorizeBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_KEYCHAIN_AUTHORIZE,
		Body: &pb.MessageData_KeychainAuthorize{KeychainAuthorize: body},
	}
}

// KeychainRevoke revokes a custody key with a signature made elsewhere.
func KeychainRevoke(body *pb.KeychainRevokeBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_KEYCHAIN_REVOKE,
		Body: &pb.MessageData_KeychainRevoke{KeychainRevoke: body},
	}
}

// SignerAdd registers a delegated key for the author's account. Custodian signs for that account, requester
// for the one that asked.
func (a *Author) SignerAdd(timestamp uint32, grant SignerGrant, permit Permit, custodian, requester Wallet) (*Envelope, error) {
	if grant.Requester == (Address{}) {
		grant.Requester = a.owner
	}
	body := &pb.SignerAddBody{
		Key:                 grant.Key[:],
		Scope:               uint32(grant.Scope),
		AllowedProjects:     hashList(grant.AllowedProjects),
		Nonce:               permit.Nonce,
		ValidAfter:          permit.ValidAfter,
		ValidBefore:         permit.ValidBefore,
		RequestOwnerAddress: grant.Requester[:],
	}
	var err error
	if body.CustodySignature, err = custodian.Sign(custody.SignerAddDigest(a.network, a.owner, body)); err != nil {
		return nil, fmt.Errorf("custody signature: %w", err)
	}
	if body.RequestSignature, err = requester.Sign(custody.SignerRequestDigest(a.network, a.owner, body)); err != nil {
		return nil, fmt.Errorf("request signature: %w", err)
	}
	return a.Sign(timestamp, SignerAdd(body))
}

// SignerRemove removes a delegated key of the author's account.
func (a *Author) SignerRemove(timestamp uint32, key PublicKey, permit Permit, custodian Wallet) (*Envelope, error) {
	body := &pb.SignerRemoveBody{
		Key: key[:], Nonce: permit.Nonce, ValidAfter: permit.ValidAfter, ValidBefore: permit.ValidBefore,
	}
	var err error
	if body.CustodySignature, err = custodian.Sign(custody.SignerRemoveDigest(a.network, a.owner, body)); err != nil {
		return nil, fmt.Errorf("custody signature: %w", err)
	}
	return a.Sign(timestamp, SignerRemove(body))
}

// KeychainAuthorize adds a custody key to the author's account.
func (a *Author) KeychainAuthorize(timestamp uint32, key CustodyKey, permit Permit, custodian Wallet) (*Envelope, error) {
	id, err := custody.KeyIDFromPublicKey(key.Type, key.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("custody key: %w", err)
	}
	body := &pb.KeychainAuthorizeBody{
		KeyId:         id[:],
		SignatureType: key.Type,
		PublicKey:     key.PublicKey,
		Admin:         key.Admin,
		ExpiresAt:     key.ExpiresAt,
		Nonce:         permit.Nonce,
		ValidAfter:    permit.ValidAfter,
		ValidBefore:   permit.ValidBefore,
		Witness:       permit.Witness,
	}
	if body.AuthorizationSignature, err = custodian.Sign(custody.AuthorizeDigest(a.network, a.owner, body)); err != nil {
		return nil, fmt.Errorf("authorization signature: %w", err)
	}
	return a.Sign(timestamp, KeychainAuthorize(body))
}

// KeychainRevoke revokes a custody key of the author's account for ever.
func (a *Author) KeychainRevoke(timestamp uint32, keyID Address, permit Permit, custodian Wallet) (*Envelope, error) {
	body := &pb.KeychainRevokeBody{
		KeyId:       keyID[:],
		Nonce:       permit.Nonce,
		ValidAfter:  permit.ValidAfter,
		ValidBefore: permit.ValidBefore,
		Witness:     permit.Witness,
	}
	var err error
	if body.RevocationSignature, err = custodian.Sign(custody.RevokeDigest(a.network, a.owner, body)); err != nil {
		return nil, fmt.Errorf("revocation signature: %w", err)
	}
	return a.Sign(timestamp, KeychainRevoke(body))
}
