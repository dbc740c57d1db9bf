// Package external reads and prints addresses of other chains: Ethereum and Solana.
package external

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

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

// base58Digits are the digits of base58, the lowest first. Solana writes addresses and signatures in it.
const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// maxBase58 is the longest text that is decoded, in digits: more than a signature's 88 digits.
const maxBase58 = 128

// encodeBase58 encodes bytes as a number in base 58. Each leading zero byte is a digit of its own.
func encodeBase58(b []byte) string {
	var digits []byte
	base, digit := big.NewInt(int64(len(base58Digits))), new(big.Int)
	for n := new(big.Int).SetBytes(b); n.Sign() > 0; {
		n.DivMod(n, base, digit)
		digits = append(digits, base58Digits[digit.Int64()])
	}
	for _, leading := range b {
		if leading != 0 {
			break
		}
		digits = append(digits, base58Digits[0])
	}
	slices.Reverse(digits)
	return string(digits)
}

// DecodeBase58 decodes base58, as Solana writes addresses and signatures.
func DecodeBase58(text string) (b []byte, ok bool) {
	if text == "" || len(text) > maxBase58 {
		return nil, false
	}
	n, base := new(big.Int), big.NewInt(int64(len(base58Digits)))
	for _, r := range text {
		digit := strings.IndexRune(base58Digits, r)
		if digit < 0 {
			return nil, false
		}
		n.Add(n.Mul(n, base), big.NewInt(int64(digit)))
	}
	zeros := len(text) - len(strings.TrimLeft(text, base58Digits[:1]))
	return append(make([]byte, zeros), n.Bytes()...), true
}
