package message

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
)

// Wallet signs custody digests. Its signatures are used unchanged: a wallet that is not the root of the account must
// return them in a keychain wrapper.
type Wallet interface {
	KeyID() Address
	Sign(digest [32]byte) ([]byte, error)
}

// Permit limits a custody signature to one nonce of the account and to a time window in Unix seconds.
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
	Requester       Address // the account that requests the key; zero means the author's own
}

// CustodyKey describes a custody key.
type CustodyKey struct {
	Type      pb.CustodySignatureType
	PublicKey []byte
	Admin     bool
	ExpiresAt uint64 // Unix seconds; 0 never expires
}

// SignerAdd returns a message that registers a delegated key, from a body that already has its signatures.
func SignerAdd(body *pb.SignerAddBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_SIGNER_ADD,
		Body: &pb.MessageData_SignerAdd{SignerAdd: body},
	}
}

// SignerRemove returns a message that removes a delegated key, from a body that already has its signature.
func SignerRemove(body *pb.SignerRemoveBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_SIGNER_REMOVE,
		Body: &pb.MessageData_SignerRemove{SignerRemove: body},
	}
}

// KeychainAuthorize returns a message that adds a custody key, from a body that already has its signature.
func KeychainAuthorize(body *pb.KeychainAuthorizeBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_KEYCHAIN_AUTHORIZE,
		Body: &pb.MessageData_KeychainAuthorize{KeychainAuthorize: body},
	}
}

// KeychainRevoke returns a message that revokes a custody key, from a body that already has its signature.
func KeychainRevoke(body *pb.KeychainRevokeBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_KEYCHAIN_REVOKE,
		Body: &pb.MessageData_KeychainRevoke{KeychainRevoke: body},
	}
}

// SignerAdd signs a message that registers a delegated key for the author's account. Custodian signs for that account,
// requester for the account that requests the key.
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

// SignerRemove signs a message that removes a delegated key of the author's account.
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

// KeychainAuthorize signs a message that adds a custody key to the author's account.
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

// KeychainRevoke signs a message that permanently revokes a custody key of the author's account.
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
