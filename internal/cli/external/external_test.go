package external

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBase58 checks published examples, invalid texts, and that encoding and decoding are inverse.
func TestBase58(t *testing.T) {
	t.Parallel()
	for digits, want := range map[string]string{
		"2NEpo7TZRRrLZSi2U":                           "48656c6c6f20576f726c6421",
		"11233QC4":                                    "0000287fb4cd",
		"11111111111111111111111111111111":            strings.Repeat("00", 32), // Solana's system program
		"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA": "06ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a9",
	} {
		got, ok := DecodeBase58(digits)
		if !ok || hex.EncodeToString(got) != want || encodeBase58(got) != digits {
			t.Errorf("%s is %x, want %s", digits, got, want)
		}
	}
	for _, wrong := range []string{"", "0", "I", "l", "é", strings.Repeat("2", maxBase58+1)} {
		if got, ok := DecodeBase58(wrong); ok {
			t.Errorf("%q is %x", wrong, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 1, 64).Draw(t, "bytes")
		if got, ok := DecodeBase58(encodeBase58(b)); !ok || !bytes.Equal(got, b) {
			t.Fatalf("%x becomes %x", b, got)
		}
	})
}

// TestParse checks that addresses of both chains are parsed, and printed in the form of their chain.
func TestParse(t *testing.T) {
	t.Parallel()
	const ethereum, solana = "0x52908400098527886e0f7030069857d2e4169ee7", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	for text, want := range map[string]string{
		ethereum: ethereum, strings.ToUpper(ethereum[2:]): ethereum, solana: solana,
		"06ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a9": solana,
	} {
		if got, err := Parse(text); err != nil || got.String() != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "alice", "0x1234", ethereum + "0", solana + "1"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q: %s", text, got)
		}
	}
}
