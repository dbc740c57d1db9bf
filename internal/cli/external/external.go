// Package external reads and prints addresses of other chains: Ethereum and Solana.
package external

import (
	"encoding/hex"
	"fmt"

	"makechain/internal/ident"
)

// Address is an address of another chain: 20 bytes for Ethereum, 32 for Solana.
type Address []byte

// Parse reads 0x and 40 hex digits, base58, or 64 hex digits.
func Parse(text string) (Address, error) {
	if address, err := ident.ParseAddress(text); err == nil {
		return address[:], nil
	}
	if key, err := ident.ParsePublicKey(text); err == nil {
		return key[:], nil
	}
	if key, ok := DecodeBase58(text); ok && len(key) == ident.PublicKeySize {
		return key, nil
	}
	return nil, fmt.Errorf("%q is not an Ethereum (0x...) or Solana address", text)
}

// IsSolana reports whether an address is one of Solana.
func (a Address) IsSolana() bool { return len(a) == ident.PublicKeySize }

// String returns an address in the form of its own chain.
func (a Address) String() string {
	if a.IsSolana() {
		return encodeBase58(a)
	}
	return "0x" + hex.EncodeToString(a)
}
