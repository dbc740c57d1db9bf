package client

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// AlreadyApplied reports whether a custody message that was refused asked for what the state already contains. Anybody can
// wrap the body of a pending custody message in a message of their own, which has the same effect and uses the nonce of
// the first one (P4.9). The refusal of the first one is then not a failure:
//
//   - SIGNER_ADD: the key is registered to the account, with the same scope and projects
//   - SIGNER_REMOVE: the key is not registered to the account
//   - KEYCHAIN_AUTHORIZE: the custody key is active, with the same public key, rights and expiry
//   - KEYCHAIN_REVOKE: the custody key is revoked
//
// It returns false for other messages, and for errors that are not a refusal because of a used nonce, a closed window or
// an existing key. The row is verified like that of Row, and without trust against the root that the node returns. A
// message that is still pending has not changed it.
func (c *Client) AlreadyApplied(ctx context.Context, m *message.Envelope, err error) (bool, error) {
	if !mayBeApplied(m, err) {
		return false, nil
	}
	switch body := m.Data.GetBody().(type) {
	case *pb.MessageData_SignerAdd:
		want, row := body.SignerAdd, new(pb.DelegatedKeyRow)
		exists, err := c.readKey(ctx, schema.DelegatedKeyKey(m.Owner, ident.PublicKey(want.GetKey())), row)
		return exists && uint32(row.GetScope()) == want.GetScope() &&
			slices.EqualFunc(row.GetAllowedProjects(), want.GetAllowedProjects(), bytes.Equal), err
	case *pb.MessageData_SignerRemove:
		exists, err := c.readKey(ctx, schema.DelegatedKeyKey(m.Owner, ident.PublicKey(body.SignerRemove.GetKey())), new(pb.DelegatedKeyRow))
		return err == nil && !exists, err
	case *pb.MessageData_KeychainAuthorize:
		want, row := body.KeychainAuthorize, new(pb.CustodyKeyRow)
		exists, err := c.readKey(ctx, schema.CustodyKeyKey(m.Owner, ident.Address(want.GetKeyId())), row)
		return exists && row.GetStatus() == pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE &&
			row.GetSignatureType() == want.GetSignatureType() && bytes.Equal(row.GetPublicKey(), want.GetPublicKey()) &&
			row.GetAdmin() == want.GetAdmin() && row.GetExpiresAt() == want.GetExpiresAt(), err
	case *pb.MessageData_KeychainRevoke:
		row := new(pb.CustodyKeyRow)
		exists, err := c.readKey(ctx, schema.CustodyKeyKey(m.Owner, ident.Address(body.KeychainRevoke.GetKeyId())), row)
		return exists && row.GetStatus() == pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED, err
	default:
		return false, nil
	}
}

// mayBeApplied reports whether a valid message was refused with a code that it gets after a copy of its body was committed,
// or after another message made the same change. A SIGNER_REMOVE of an unknown key with the next nonce is refused with
// another one: its key may be mistyped.
func mayBeApplied(m *message.Envelope, err error) bool {
	refused := (*RefusedError)(nil)
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Code {
	case message.CodeCustodyNonceMismatch, message.CodeCustodyWindowClosed, message.CodeKeyTaken, message.CodeKeyRevoked, message.CodeDuplicate:
		return m.Validate() == nil
	default:
		return false
	}
}

// readKey reads the row of a key. It reports whether there is one.
func (c *Client) readKey(ctx context.Context, key []byte, row proto.Message) (exists bool, err error) {
	value, _, err := c.lookup(ctx, key)
	if err != nil || value == nil {
		return false, err
	}
	err = schema.Decode(value, row)
	return err == nil, err
}
