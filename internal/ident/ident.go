// Package ident defines the fixed-size identifiers of the protocol, with parsing and formatting.
//
// They are arrays, so they can be compared with ==, used as map keys and converted from a plain [N]byte.
package ident

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/oasisprotocol/curve25519-voi/curve"
)

// Sizes in bytes.
const (
	AddressSize   = 20
	HashSize      = 32
	PublicKeySize = 32
)

// Address identifies an account (owner_address) or a custody key (key_id): 20 bytes, EVM style (P1.1).
type Address [AddressSize]byte

// Hash is a BLAKE3 digest or a 32-byte content id: message, project, commit, merge request, claim.
type Hash [HashSize]byte

// PublicKey is an Ed25519 public key.
type PublicKey [PublicKeySize]byte

// String returns 0x and lower-case hex.
func (a Address) String() string { return "0x" + hex.EncodeToString(a[:]) }

// String returns lower-case hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// String returns lower-case hex.
func (k PublicKey) String() string { return hex.EncodeToString(k[:]) }

// ParseAddress parses 40 hex digits, with or without 0x.
func ParseAddress(s string) (a Address, err error) { return a, parse(a[:], "address", s) }

// ParseHash parses 64 hex digits, with or without 0x.
func ParseHash(s string) (h Hash, err error) { return h, parse(h[:], "hash", s) }

// ParsePublicKey parses 64 hex digits, with or without 0x.
func ParsePublicKey(s string) (k PublicKey, err error) { return k, parse(k[:], "public key", s) }

// AddressFrom copies 20 bytes; ok is false for any other length.
func AddressFrom(b []byte) (a Address, ok bool) { return a, copyExact(a[:], b) }

// HashFrom copies 32 bytes; ok is false for any other length.
func HashFrom(b []byte) (h Hash, ok bool) { return h, copyExact(h[:], b) }

// PublicKeyFrom copies 32 bytes; ok is false for any other length.
func PublicKeyFrom(b []byte) (k PublicKey, ok bool) { return k, copyExact(k[:], b) }

// SmallOrder reports whether the key is a point of small order, in any encoding that ZIP-215 accepts. For such a key
// anybody can make signatures that verify, so it is not accepted where a key is registered (P5).
func (k PublicKey) SmallOrder() bool {
	encoded := curve.CompressedEdwardsY(k)
	point, err := new(curve.EdwardsPoint).SetCompressedY(&encoded)
	return err == nil && point.IsSmallOrder()
}

func copyExact(dst, src []byte) bool {
	return len(src) == len(dst) && copy(dst, src) == len(dst)
}

func parse(dst []byte, what, s string) error {
	digits := strings.TrimPrefix(s, "0x")
	if len(digits) != hex.EncodedLen(len(dst)) {
		return fmt.Errorf("%s %q has %d hex digits, want %d", what, s, len(digits), hex.EncodedLen(len(dst)))
	}
	if _, err := hex.Decode(dst, []byte(digits)); err != nil {
		return fmt.Errorf("%s %q: %w", what, s, err)
	}
	return nil
}
