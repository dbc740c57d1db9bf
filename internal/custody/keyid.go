package custody

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// pointSize is the size of a public point, x and y, in bytes.
const pointSize = 64

// uncompressed is the first byte of an uncompressed point (SEC 1).
const uncompressed = 0x04

// KeyID returns the last 20 bytes of Keccak-256 over the public point (P4.2). It does not depend on the signature type,
// so the P256 and WebAuthn wallets of one key have the same id.
func KeyID(publicPoint [pointSize]byte) ident.Address {
	digest := keccak256(publicPoint[:])
	return ident.Address(digest[len(digest)-ident.AddressSize:])
}

// KeyIDFromPublicKey returns the id of a public key in the encoding of KEYCHAIN_AUTHORIZE (P4.7): 65 bytes starting with
// 0x04 for secp256k1, 64 bytes for P256 and WebAuthn. The point must be on its curve.
func KeyIDFromPublicKey(t pb.CustodySignatureType, publicKey []byte) (ident.Address, error) {
	switch t {
	case pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1:
		if err := checkSecp256k1Key(publicKey); err != nil {
			return ident.Address{}, fmt.Errorf("secp256k1 public key: %w", err)
		}
		return KeyID([pointSize]byte(publicKey[1:])), nil
	case pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256,
		pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256:
		if len(publicKey) != pointSize {
			return ident.Address{}, fmt.Errorf("p256 public key: %d bytes, want %d", len(publicKey), pointSize)
		}
		point := [pointSize]byte(publicKey)
		if _, err := parseP256Point(point); err != nil {
			return ident.Address{}, fmt.Errorf("p256 public key: %w", err)
		}
		return KeyID(point), nil
	default:
		return ident.Address{}, fmt.Errorf("no public key has signature type %d", t)
	}
}

// checkSecp256k1Key is stricter than the library, which also accepts compressed and hybrid points: a key must have
// exactly one encoding.
func checkSecp256k1Key(publicKey []byte) error {
	if len(publicKey) != 1+pointSize {
		return fmt.Errorf("%d bytes, want %d", len(publicKey), 1+pointSize)
	}
	if publicKey[0] != uncompressed {
		return fmt.Errorf("first byte 0x%02x, want 0x%02x", publicKey[0], uncompressed)
	}
	_, err := secp256k1.ParsePubKey(publicKey)
	return err
}

func parseP256Point(point [pointSize]byte) (*ecdsa.PublicKey, error) {
	return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append([]byte{uncompressed}, point[:]...))
}
