package message

import (
	"bytes"
	"fmt"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// Bounds of an account's fields, in bytes (P5).
const (
	MaxAccountValue        = 500
	MaxDisplayName         = 32
	MinUsername            = 3
	MaxUsername            = 32
	MaxVerificationAddress = 128
)

// AccountData sets one field of the author's profile.
func AccountData(field pb.AccountDataType, value string) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_ACCOUNT_DATA,
		Body: &pb.MessageData_AccountData{AccountData: &pb.AccountDataBody{Field: field, Value: value}},
	}
}

// UsernameCreate takes a first username.
func UsernameCreate(username string) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_USERNAME_CREATE,
		Body: &pb.MessageData_UsernameCreate{UsernameCreate: &pb.UsernameCreateBody{Username: username}},
	}
}

// UsernameUpdate takes another username.
func UsernameUpdate(username string) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_USERNAME_UPDATE,
		Body: &pb.MessageData_UsernameUpdate{UsernameUpdate: &pb.UsernameUpdateBody{Username: username}},
	}
}

// VerificationAdd claims an outside address with a proof made elsewhere. EthVerification and SolVerification
// make the proof too.
func VerificationAdd(body *pb.VerificationAddBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_VERIFICATION_ADD,
		Body: &pb.MessageData_VerificationAdd{VerificationAdd: body},
	}
}

// VerificationRemove gives an outside address up.
func VerificationRemove(address []byte) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_VERIFICATION_REMOVE,
		Body: &pb.MessageData_VerificationRemove{VerificationRemove: &pb.VerificationRemoveBody{Address: address}},
	}
}

// EthVerification claims the wallet's address for the author.
func (a *Author) EthVerification(timestamp uint32, wallet Wallet) (*Envelope, error) {
	address := wallet.KeyID()
	digest, err := custody.EthClaimDigest(a.network, a.owner, address)
	if err != nil {
		return nil, fmt.Errorf("claim of %s: %w", address, err)
	}
	signature, err := wallet.Sign(digest)
	if err != nil {
		return nil, fmt.Errorf("claim of %s: %w", address, err)
	}
	return a.Sign(timestamp, VerificationAdd(&pb.VerificationAddBody{
		VerificationType: pb.VerificationType_VERIFICATION_TYPE_ETH_ADDRESS,
		Address:          address[:],
		ClaimSignature:   signature,
		ChainId:          custody.HostChainIDBytes(a.network),
	}))
}

// SolVerification claims the Solana address of a secret for the author.
func (a *Author) SolVerification(timestamp uint32, secret Seed) (*Envelope, error) {
	key := ed25519.NewKeyFromSeed(secret[:])
	return a.Sign(timestamp, VerificationAdd(&pb.VerificationAddBody{
		VerificationType: pb.VerificationType_VERIFICATION_TYPE_SOL_ADDRESS,
		Address:          key[ed25519.SeedSize:],
		ClaimSignature:   ed25519.Sign(key, []byte(custody.SolClaimText(a.network, a.owner))),
	}))
}

func checkAccountData(f *fields, b *pb.AccountDataBody) {
	f.set("field", int32(b.GetField()), pb.AccountDataType_name)
	limit := MaxAccountValue
	if b.GetField() == pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME {
		limit = MaxDisplayName
	}
	f.size("value", len(b.GetValue()), 0, limit)
}

// checkUsername needs lower-case letters, digits and inner hyphens.
func checkUsername[B interface{ GetUsername() string }](f *fields, b B) {
	username := b.GetUsername()
	f.size("username", len(username), MinUsername, MaxUsername)
	for i := range len(username) {
		inner := i > 0 && i < len(username)-1
		if c := username[i]; !isLowerAlphanumeric(c) && (c != '-' || !inner) {
			f.refuse("username", "byte %q at %d, only a-z, 0-9 and inner hyphens", c, i)
			return
		}
	}
}

func checkVerificationAdd(f *fields, b *pb.VerificationAddBody) {
	f.set("verification_type", int32(b.GetVerificationType()), pb.VerificationType_name)
	switch b.GetVerificationType() {
	case pb.VerificationType_VERIFICATION_TYPE_ETH_ADDRESS:
		f.address("address", b.GetAddress())
		f.directSignature("claim_signature", b.GetClaimSignature())
		if want := custody.HostChainIDBytes(f.Data.GetNetwork()); !bytes.Equal(b.GetChainId(), want) {
			f.refuse("chain_id", "0x%x, want 0x%x", b.GetChainId(), want)
		}
	case pb.VerificationType_VERIFICATION_TYPE_SOL_ADDRESS:
		f.exactly("address", b.GetAddress(), ident.PublicKeySize)
		f.exactly("claim_signature", b.GetClaimSignature(), SignatureSize)
		f.size("chain_id", len(b.GetChainId()), 0, 0)
	}
}

func checkVerificationRemove(f *fields, b *pb.VerificationRemoveBody) {
	f.size("address", len(b.GetAddress()), 1, MaxVerificationAddress)
}
