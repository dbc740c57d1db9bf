package message

import (
	"bytes"
	"fmt"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
)

// Bounds of an account's fields, in bytes (P5).
const (
	MaxAccountValue        = 500
	MaxDisplayName         = 32
	MinUsername            = 3
	MaxUsername            = 32
	MaxVerificationAddress = 128
)

// AccountData returns a message that sets one field of the author's profile.
func AccountData(field pb.AccountDataType, value string) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_ACCOUNT_DATA,
		Body: &pb.MessageData_AccountData{AccountData: &pb.AccountDataBody{Field: field, Value: value}},
	}
}

// UsernameCreate returns a message that assigns the author its first username.
func UsernameCreate(username string) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_USERNAME_CREATE,
		Body: &pb.MessageData_UsernameCreate{UsernameCreate: &pb.UsernameCreateBody{Username: username}},
	}
}

// UsernameUpdate returns a message that changes the author's username.
func UsernameUpdate(username string) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_USERNAME_UPDATE,
		Body: &pb.MessageData_UsernameUpdate{UsernameUpdate: &pb.UsernameUpdateBody{Username: username}},
	}
}

// VerificationAdd returns a message that claims an external address with an existing proof. EthVerification and
// SolVerification create the proof as well.
func VerificationAdd(body *pb.VerificationAddBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_VERIFICATION_ADD,
		Body: &pb.MessageData_VerificationAdd{VerificationAdd: body},
	}
}

// VerificationRemove returns a message that removes the claim of an external address.
func VerificationRemove(address []byte) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_VERIFICATION_REMOVE,
		Body: &pb.MessageData_VerificationRemove{VerificationRemove: &pb.VerificationRemoveBody{Address: address}},
	}
}

// EthVerification signs a message that claims the wallet's address for the author.
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

// SolVerification signs a message that claims the Solana address of a secret for the author.
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

// checkUsername requires lower-case letters, digits and inner hyphens.
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
		f.publicKey("address", b.GetAddress())
		f.exactly("claim_signature", b.GetClaimSignature(), SignatureSize)
		f.size("chain_id", len(b.GetChainId()), 0, 0)
	}
}

func checkVerificationRemove(f *fields, b *pb.VerificationRemoveBody) {
	f.size("address", len(b.GetAddress()), 1, MaxVerificationAddress)
}
