package external

import (
	"math/big"
	"slices"
	"strings"
)

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
