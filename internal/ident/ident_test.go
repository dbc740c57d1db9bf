package ident_test

import (
	"bytes"
	"strings"
	"testing"

	"makechain/internal/ident"
)

// TestParse checks that identifiers parse with and without 0x, and that String writes addresses with it and all others
// without.
//
// Rules: P1.1.
func TestParse(t *testing.T) {
	t.Parallel()
	digits := "00ff" + strings.Repeat("ab", 18)
	for _, text := range []string{digits, "0x" + digits, strings.ToUpper(digits)} {
		a, err := ident.ParseAddress(text)
		if err != nil {
			t.Fatalf("ParseAddress(%q): %v", text, err)
		}
		if want := "0x" + digits; a.String() != want {
			t.Errorf("ParseAddress(%q) prints %s, want %s", text, a, want)
		}
	}
	digits += strings.Repeat("01", 12)
	h, err := ident.ParseHash("0x" + digits)
	if err != nil || h.String() != digits {
		t.Errorf("ParseHash returns %s, %v; want %s", h, err, digits)
	}
	k, err := ident.ParsePublicKey(digits)
	if err != nil || k.String() != digits {
		t.Errorf("ParsePublicKey returns %s, %v; want %s", k, err, digits)
	}
}

// TestParseErrors checks that text of another length or with other characters is refused.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "0x", strings.Repeat("0", 39), strings.Repeat("0", 41), strings.Repeat("g", 40), "0x0x" + strings.Repeat("0", 38)} {
		if a, err := ident.ParseAddress(text); err == nil {
			t.Errorf("ParseAddress(%q) = %s, want an error", text, a)
		}
	}
	if _, err := ident.ParseHash(strings.Repeat("0", 40)); err == nil {
		t.Error("ParseHash accepts an address, want an error")
	}
}

// TestFrom checks that only byte slices of the exact size are converted.
func TestFrom(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte{7}, 33)
	for size := range long {
		if _, ok := ident.AddressFrom(long[:size]); ok != (size == ident.AddressSize) {
			t.Errorf("AddressFrom %d bytes: ok is %v", size, ok)
		}
		if _, ok := ident.HashFrom(long[:size]); ok != (size == ident.HashSize) {
			t.Errorf("HashFrom %d bytes: ok is %v", size, ok)
		}
		if _, ok := ident.PublicKeyFrom(long[:size]); ok != (size == ident.PublicKeySize) {
			t.Errorf("PublicKeyFrom %d bytes: ok is %v", size, ok)
		}
	}
}
