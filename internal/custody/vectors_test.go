package custody_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// hexBytes is a byte slice that JSON represents as hex.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// address and hash32 panic if the vector has the wrong length.
func (h hexBytes) address() ident.Address { return ident.Address(h) }
func (h hexBytes) hash32() [32]byte       { return [32]byte(h) }

type knownVectors struct {
	Operations []struct {
		Op      string
		Network pb.Network
		Owner   hexBytes
		Body    operationBody
		Digest  hexBytes
	}
	Signatures []knownSignature
	EthClaims  []struct {
		Network                           string
		ChainID                           uint64 `json:"chain_id"`
		Owner, Address, Digest, Signature hexBytes
	} `json:"eth_claims"`
	SolClaim struct {
		Owner, Address, Signature hexBytes
		Text                      string
	} `json:"sol_claim"`
	Settlement struct {
		Network             pb.Network
		ChainID             uint64   `json:"chain_id"`
		TxHash              hexBytes `json:"tx_hash"`
		LogIndex            uint32   `json:"log_index"`
		ClaimID             hexBytes `json:"claim_id"`
		Owner, Actor        hexBytes
		Units               uint32
		SettlementTimestamp uint64 `json:"settlement_timestamp"`
		Digest              hexBytes
		Attester, Signature hexBytes
	}
}

type operationBody struct {
	KeyID           hexBytes                `json:"key_id"`
	SignatureType   pb.CustodySignatureType `json:"signature_type"`
	PublicKey       hexBytes                `json:"public_key"`
	Admin           bool
	ExpiresAt       uint64   `json:"expires_at"`
	ValidAfter      uint64   `json:"valid_after"`
	ValidBefore     uint64   `json:"valid_before"`
	RequestOwner    hexBytes `json:"request_owner_address"`
	Nonce           uint64
	Scope           uint32
	Witness, Key    hexBytes
	AllowedProjects []hexBytes `json:"allowed_projects"`
}

type knownSignature struct {
	Name              string
	Digest, Signature hexBytes
	Valid             bool
	KeyID             hexBytes                `json:"key_id"`
	SignatureType     pb.CustodySignatureType `json:"signature_type"`
	WrapperAccount    hexBytes                `json:"wrapper_account"`
}

func loadKnownVectors(tb testing.TB) knownVectors {
	tb.Helper()
	text, err := os.ReadFile("../../testdata/vectors/known/custody.json")
	if err != nil {
		tb.Fatal(err)
	}
	var known knownVectors
	if err := json.Unmarshal(text, &known); err != nil {
		tb.Fatal(err)
	}
	if len(known.Operations) == 0 || len(known.Signatures) == 0 || len(known.EthClaims) == 0 {
		tb.Fatal("a section of the known vectors is empty")
	}
	return known
}

// TestKnownDigests compares every operation with digests of another implementation.
//
// Rules: P4.1, P4.6.
func TestKnownDigests(t *testing.T) {
	t.Parallel()
	for i, op := range loadKnownVectors(t).Operations {
		t.Run(fmt.Sprintf("%d %s", i, op.Op), func(t *testing.T) {
			t.Parallel()
			got := digestOf(t, op.Op, op.Network, op.Owner.address(), op.Body)
			if got != op.Digest.hash32() {
				t.Errorf("digest %x, want %x", got, op.Digest)
			}
		})
	}
}

func digestOf(t *testing.T, op string, network pb.Network, owner ident.Address, b operationBody) [32]byte {
	t.Helper()
	signer := &pb.SignerAddBody{
		Key: b.Key, Scope: b.Scope, Nonce: b.Nonce, RequestOwnerAddress: b.RequestOwner,
		ValidAfter: b.ValidAfter, ValidBefore: b.ValidBefore,
	}
	for _, project := range b.AllowedProjects {
		signer.AllowedProjects = append(signer.AllowedProjects, project)
	}
	switch op {
	case "authorize":
		return custody.AuthorizeDigest(network, owner, &pb.KeychainAuthorizeBody{
			KeyId: b.KeyID, SignatureType: b.SignatureType, PublicKey: b.PublicKey, Admin: b.Admin,
			ExpiresAt: b.ExpiresAt, ValidAfter: b.ValidAfter, ValidBefore: b.ValidBefore,
			Nonce: b.Nonce, Witness: b.Witness,
		})
	case "revoke":
		return custody.RevokeDigest(network, owner, &pb.KeychainRevokeBody{
			KeyId: b.KeyID, ValidAfter: b.ValidAfter, ValidBefore: b.ValidBefore,
			Nonce: b.Nonce, Witness: b.Witness,
		})
	case "signer_add":
		return custody.SignerAddDigest(network, owner, signer)
	case "signer_request":
		return custody.SignerRequestDigest(network, owner, signer)
	case "signer_remove":
		return custody.SignerRemoveDigest(network, owner, &pb.SignerRemoveBody{
			Key: b.Key, Nonce: b.Nonce, ValidAfter: b.ValidAfter, ValidBefore: b.ValidBefore,
		})
	default:
		t.Fatalf("unknown operation %q", op)
		return [32]byte{}
	}
}

// TestKnownSignatures checks valid and invalid signatures of another implementation.
//
// Rules: P4.2, P4.3.
func TestKnownSignatures(t *testing.T) {
	t.Parallel()
	for _, known := range loadKnownVectors(t).Signatures {
		t.Run(known.Name, func(t *testing.T) {
			t.Parallel()
			sig, id, err := parseAndRecover(known.Signature, known.Digest.hash32())
			if !known.Valid {
				if err == nil {
					t.Fatalf("accepted with key id %s", id)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			account, wrapped := sig.Account()
			if wrapped != (known.WrapperAccount != nil) || wrapped && account != known.WrapperAccount.address() {
				t.Errorf("wrapper account %s (%t), want %x", account, wrapped, known.WrapperAccount)
			}
			if id != known.KeyID.address() || sig.Type() != known.SignatureType {
				t.Errorf("key id %s of type %v, want %x of %v", id, sig.Type(), known.KeyID, known.SignatureType)
			}
		})
	}
}

func parseAndRecover(sig []byte, digest [32]byte) (custody.Signature, ident.Address, error) {
	parsed, err := custody.Parse(sig)
	if err != nil {
		return custody.Signature{}, ident.Address{}, err
	}
	id, err := parsed.Recover(digest)
	return parsed, id, err
}

// TestKnownClaims checks claims of another implementation.
//
// Rules: P9.10.
func TestKnownClaims(t *testing.T) {
	t.Parallel()
	known := loadKnownVectors(t)
	networks := map[string]pb.Network{
		"mainnet": pb.Network_NETWORK_MAINNET,
		"testnet": pb.Network_NETWORK_TESTNET,
		"devnet":  pb.Network_NETWORK_DEVNET,
	}
	for _, claim := range known.EthClaims {
		network := networks[claim.Network]
		owner, address := claim.Owner.address(), claim.Address.address()
		if got := custody.HostChainID(network); got != claim.ChainID {
			t.Errorf("%s: host chain %d, want %d", claim.Network, got, claim.ChainID)
		}
		digest, err := custody.EthClaimDigest(network, owner, address)
		if err != nil || digest != claim.Digest.hash32() {
			t.Errorf("%s: digest %x (%v), want %x", claim.Network, digest, err, claim.Digest)
		}
		if err := custody.VerifyEthClaim(network, owner, address, claim.Signature); err != nil {
			t.Errorf("%s: %v", claim.Network, err)
		}
	}
	sol := known.SolClaim
	if got := custody.SolClaimText(pb.Network_NETWORK_DEVNET, sol.Owner.address()); got != sol.Text {
		t.Errorf("text %q, want %q", got, sol.Text)
	}
	address := ident.PublicKey(sol.Address.hash32())
	if err := custody.VerifySolClaim(pb.Network_NETWORK_DEVNET, sol.Owner.address(), address, sol.Signature); err != nil {
		t.Error(err)
	}
}

// TestKnownSettlement checks a claim id and an attestation of another implementation.
//
// Rules: P8.2.
func TestKnownSettlement(t *testing.T) {
	t.Parallel()
	known := loadKnownVectors(t).Settlement
	claim := custody.ClaimID(known.ChainID, known.TxHash.hash32(), known.LogIndex)
	if claim != known.ClaimID.hash32() {
		t.Errorf("claim id %s, want %x", claim, known.ClaimID)
	}
	digest := custody.SettlementDigest(custody.SettlementDomain{Network: known.Network, V1: true}, claim, known.Owner.address(), &pb.StorageClaimBody{
		Units: known.Units, Actor: known.Actor, SettlementTimestamp: known.SettlementTimestamp,
	})
	if digest != known.Digest.hash32() {
		t.Errorf("digest %s, want %x", digest, known.Digest)
	}
	if err := custody.VerifyAttestation(digest, known.Attester.hash32(), known.Signature); err != nil {
		t.Error(err)
	}
}
