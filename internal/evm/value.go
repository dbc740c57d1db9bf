package evm

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"makechain/internal/ident"
)

// A quantity is an unsigned integer of 64 bits as JSON-RPC encodes it: "0x" and hexadecimal digits.
type quantity uint64

// UnmarshalJSON is part of json.Unmarshaler.
func (q *quantity) UnmarshalJSON(encoded []byte) error {
	digits, err := hexDigits(encoded)
	if err != nil {
		return err
	}
	value, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return fmt.Errorf("%.40q is not an integer of 64 bits", encoded)
	}
	*q = quantity(value)
	return nil
}

// MarshalJSON is part of json.Marshaler.
func (q quantity) MarshalJSON() ([]byte, error) {
	return json.Marshal("0x" + strconv.FormatUint(uint64(q), 16))
}

// An amount is an unsigned integer of 256 bits as JSON-RPC encodes it.
type amount struct{ big.Int }

// UnmarshalJSON is part of json.Unmarshaler.
func (a *amount) UnmarshalJSON(encoded []byte) error {
	digits, err := hexDigits(encoded)
	if err != nil {
		return err
	}
	if _, ok := a.SetString(digits, 16); len(digits) > 64 || !ok || a.Sign() < 0 {
		return fmt.Errorf("%.80q is not an integer of 256 bits", encoded)
	}
	return nil
}

// data is a byte string as JSON-RPC encodes it: "0x" and two hexadecimal digits per byte.
type data []byte

// UnmarshalJSON is part of json.Unmarshaler.
func (d *data) UnmarshalJSON(encoded []byte) error {
	digits, err := hexDigits(encoded)
	if err != nil {
		return err
	}
	*d, err = hex.DecodeString(digits)
	return err
}

// MarshalJSON is part of json.Marshaler.
func (d data) MarshalJSON() ([]byte, error) { return json.Marshal("0x" + hex.EncodeToString(d)) }

// A hash is 32 bytes.
type hash ident.Hash

// UnmarshalJSON is part of json.Unmarshaler.
func (h *hash) UnmarshalJSON(encoded []byte) error { return exactly(h[:], encoded) }

// MarshalJSON is part of json.Marshaler.
func (h hash) MarshalJSON() ([]byte, error) { return data(h[:]).MarshalJSON() }

// An address is 20 bytes.
type address ident.Address

// UnmarshalJSON is part of json.Unmarshaler.
func (a *address) UnmarshalJSON(encoded []byte) error { return exactly(a[:], encoded) }

// MarshalJSON is part of json.Marshaler.
func (a address) MarshalJSON() ([]byte, error) { return data(a[:]).MarshalJSON() }

func exactly(dst, encoded []byte) error {
	var decoded data
	if err := decoded.UnmarshalJSON(encoded); err != nil {
		return err
	}
	if len(decoded) != len(dst) {
		return fmt.Errorf("%.80q has %d bytes, want %d", encoded, len(decoded), len(dst))
	}
	copy(dst, decoded)
	return nil
}

// hexDigits returns the digits of a JSON string "0x...", which may be none.
func hexDigits(encoded []byte) (string, error) {
	text, err := strconv.Unquote(string(encoded))
	digits, isHex := strings.CutPrefix(text, "0x")
	if err != nil || !isHex || strings.ContainsAny(digits, "_+-") {
		return "", fmt.Errorf("%.80q is not a string that starts with 0x", encoded)
	}
	return digits, nil
}
