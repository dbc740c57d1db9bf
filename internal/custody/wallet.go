package custody

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	secp256k1ecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Wallet signs custody digests with one key. The wallets of this package sign deterministically (RFC 6979).
type Wallet interface {
	// KeyID returns the id that Recover returns for the wallet's signatures.
	KeyID() ident.Address
	// Sign returns an encoded custody signature over digest.
	Sign(digest [32]byte) ([]byte, error)
}

// WrappedWallet signs for an account that has the wallet's key as a custody key other than the root.
type WrappedWallet struct {
	Wallet
	Account ident.Address
}

// Sign returns the wallet's signature in a keychain wrapper.
func (w WrappedWallet) Sign(digest [32]byte) ([]byte, error) {
	sig, err := w.Wallet.Sign(digest)
	if err != nil {
		return nil, err
	}
	return Wrap(w.Account, sig), nil
}

// Secp256k1Wallet is an Ethereum-style key.
type Secp256k1Wallet struct {
	key *secp256k1.PrivateKey
}

// NewSecp256k1Wallet returns the wallet of a secret, which must be between 1 and the group order minus 1.
func NewSecp256k1Wallet(secret [32]byte) (*Secp256k1Wallet, error) {
	if secret == [32]byte{} || string(secret[:]) >= secp256k1Order {
		return nil, errors.New("secp256k1 secret is out of range")
	}
	return &Secp256k1Wallet{key: secp256k1.PrivKeyFromBytes(secret[:])}, nil
}

// Type returns the signature type to authorize the key with.
func (*Secp256k1Wallet) Type() pb.CustodySignatureType {
	return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1
}

// PublicKey returns the key in the encoding of KEYCHAIN_AUTHORIZE.
func (w *Secp256k1Wallet) PublicKey() []byte { return w.key.PubKey().SerializeUncompressed() }

// KeyID returns the wallet's Ethereum address.
func (w *Secp256k1Wallet) KeyID() ident.Address { return KeyID([pointSize]byte(w.PublicKey()[1:])) }

// Sign returns r, s and a v of 0 or 1.
func (w *Secp256k1Wallet) Sign(digest [32]byte) ([]byte, error) {
	compact := secp256k1ecdsa.SignCompact(w.key, digest[:], false)
	v := compact[0] - recoveryOffset
	if v > 1 {
		return nil, errors.New("secp256k1 signature: r needs a recovery code that P4.2 does not allow")
	}
	return append(compact[1:secp256k1Size:secp256k1Size], v), nil
}

// P256Wallet is a platform key on P-256.
type P256Wallet struct {
	key   *ecdsa.PrivateKey
	point [pointSize]byte
}

// NewP256Wallet returns the wallet of a secret, which must be between 1 and the group order minus 1.
func NewP256Wallet(secret [32]byte) (*P256Wallet, error) {
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret[:])
	if err != nil {
		return nil, fmt.Errorf("p256 secret: %w", err)
	}
	encoded, err := key.PublicKey.Bytes()
	if err != nil {
		return nil, fmt.Errorf("p256 secret: %w", err)
	}
	return &P256Wallet{key: key, point: [pointSize]byte(encoded[1:])}, nil
}

// Type returns the signature type to authorize the key with.
func (*P256Wallet) Type() pb.CustodySignatureType {
	return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256
}

// PublicKey returns the key in the encoding of KEYCHAIN_AUTHORIZE.
func (w *P256Wallet) PublicKey() []byte { return append([]byte(nil), w.point[:]...) }

// KeyID returns the id of the key.
func (w *P256Wallet) KeyID() ident.Address { return KeyID(w.point) }

// Sign returns a signature in the P256 form, over SHA-256 of the digest.
func (w *P256Wallet) Sign(digest [32]byte) ([]byte, error) {
	keyed, err := w.SignHash(sha256.Sum256(digest[:]))
	if err != nil {
		return nil, err
	}
	return append(append([]byte{formP256}, keyed...), p256Prehash), nil
}

// SignHash signs a SHA-256 hash, with the lower of the two equivalent values of s. It returns r, s and the public
// point, with which both the P256 and the WebAuthn form end.
func (w *P256Wallet) SignHash(hash [32]byte) ([]byte, error) {
	der, err := w.key.Sign(nil, hash[:], crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("p256 signing: %w", err)
	}
	var numbers struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &numbers); err != nil {
		return nil, fmt.Errorf("p256 signing: %w", err)
	}
	n := w.key.Params().N
	if other := new(big.Int).Sub(n, numbers.S); other.Cmp(numbers.S) < 0 {
		numbers.S = other
	}
	signature := make([]byte, keyedSize)
	numbers.R.FillBytes(signature[:32])
	numbers.S.FillBytes(signature[32:64])
	copy(signature[64:], w.point[:])
	return signature, nil
}
