package custody

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// p256Size is the form byte, r, s, x, y and the closing byte.
const p256Size = 130

// p256Prehash is the last byte of a P256 signature. It states that the digest was hashed again before signing, which is
// required.
const p256Prehash = 0x01

// keyedSize is r, s, x and y.
const keyedSize = 64 + pointSize

// The group of P-256.
const (
	p256Order = "\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff" +
		"\xbc\xe6\xfa\xad\xa7\x17\x9e\x84\xf3\xb9\xca\xc2\xfc\x63\x25\x51"
	p256HalfOrder = "\x7f\xff\xff\xff\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff" +
		"\xde\x73\x7d\x56\xd3\x8b\xcf\x42\x79\xdc\xe5\x61\x7e\x31\x92\xa8"
)

// keyedSignature is a P-256 signature with its public key, the last part of both the P256 and the WebAuthn form.
type keyedSignature struct {
	scalars
	point [pointSize]byte
	key   *ecdsa.PublicKey
}

// parseKeyed parses exactly keyedSize bytes.
func parseKeyed(b []byte) (keyedSignature, error) {
	sc, err := readScalars(b, order{p256Order, p256HalfOrder})
	if err != nil {
		return keyedSignature{}, err
	}
	point := [pointSize]byte(b[64:keyedSize])
	key, err := parseP256Point(point)
	if err != nil {
		return keyedSignature{}, fmt.Errorf("public key: %w", err)
	}
	return keyedSignature{scalars: sc, point: point, key: key}, nil
}

// verify verifies the signature over a SHA-256 hash and returns the id of its key.
func (k keyedSignature) verify(hash [32]byte) (ident.Address, error) {
	r, s := new(big.Int).SetBytes(k.r[:]), new(big.Int).SetBytes(k.s[:])
	if !ecdsa.Verify(k.key, hash[:], r, s) {
		return ident.Address{}, errors.New("does not verify with its key")
	}
	return KeyID(k.point), nil
}

func (k keyedSignature) appendTo(b []byte) []byte {
	return append(k.scalars.appendTo(b), k.point[:]...)
}

// p256Signature is signed over SHA-256 of the digest, because platform keys hash what they sign.
type p256Signature struct {
	keyedSignature
}

func parseP256(sig []byte) (p256Signature, error) {
	if len(sig) != p256Size {
		return p256Signature{}, fmt.Errorf("%d bytes, want %d", len(sig), p256Size)
	}
	if last := sig[p256Size-1]; last != p256Prehash {
		return p256Signature{}, fmt.Errorf("last byte 0x%02x, want 0x%02x", last, p256Prehash)
	}
	k, err := parseKeyed(sig[1 : p256Size-1])
	return p256Signature{k}, err
}

func (p256Signature) signatureType() pb.CustodySignatureType {
	return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256
}

func (s p256Signature) recover(digest [32]byte) (ident.Address, error) {
	id, err := s.verify(sha256.Sum256(digest[:]))
	if err != nil {
		return ident.Address{}, fmt.Errorf("p256 signature: %w", err)
	}
	return id, nil
}

func (s p256Signature) appendTo(b []byte) []byte {
	return append(s.keyedSignature.appendTo(append(b, formP256)), p256Prehash)
}
