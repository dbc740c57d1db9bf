package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// TestBase58 agrees with published examples, and reads what it writes.
func TestBase58(t *testing.T) {
	t.Parallel()
	for digits, want := range map[string]string{
		"2NEpo7TZRRrLZSi2U":                           "48656c6c6f20576f726c6421",
		"11233QC4":                                    "0000287fb4cd",
		"11111111111111111111111111111111":            strings.Repeat("00", 32), // Solana's system program
		"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA": "06ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a9",
	} {
		got, ok := decodeBase58(digits)
		if !ok || hex.EncodeToString(got) != want || encodeBase58(got) != digits {
			t.Errorf("%s is %x, want %s", digits, got, want)
		}
	}
	for _, wrong := range []string{"", "0", "I", "l", "é", strings.Repeat("2", maxBase58+1)} {
		if got, ok := decodeBase58(wrong); ok {
			t.Errorf("%q is %x", wrong, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 1, 64).Draw(t, "bytes")
		if got, ok := decodeBase58(encodeBase58(b)); !ok || !bytes.Equal(got, b) {
			t.Fatalf("%x becomes %x", b, got)
		}
	})
}

// TestParseOutside tells the addresses of two chains apart, and prints them as their chains do.
func TestParseOutside(t *testing.T) {
	t.Parallel()
	const ethereum, solana = "0x52908400098527886e0f7030069857d2e4169ee7", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	for text, want := range map[string]string{
		ethereum: ethereum, strings.ToUpper(ethereum[2:]): ethereum, solana: solana,
		"06ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a9": solana,
	} {
		if got, err := parseOutside(text); err != nil || got.String() != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "alice", "0x1234", ethereum + "0", solana + "1"} {
		if got, err := parseOutside(text); err == nil {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestSolanaKey reads both forms of a key, and refuses what is not one or what others may read.
func TestSolanaKey(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	numbers := strings.ReplaceAll(strings.Trim(fmt.Sprintf("%d", key), "[]"), " ", ",")
	other := strings.Replace(numbers, "7,", "8,", 1)
	for name, test := range map[string]struct {
		content string
		mode    os.FileMode
		want    string // of the error
	}{
		"keypair":    {"[" + numbers + "]\n", 0o600, ""},
		"seed":       {hex.EncodeToString(key.Seed()) + "\n", 0o600, ""},
		"open":       {"[" + numbers + "]", 0o644, "others may reach"},
		"mixed":      {"[" + other + "]", 0o600, "do not belong together"},
		"too short":  {"[1,2,3]", 0o600, "neither a list"},
		"no numbers": {"hello", 0o600, "neither a list"},
		"too large":  {"[" + strings.Repeat("256,", 63) + "1]", 0o600, "neither a list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "id.json")
			if err := os.WriteFile(path, []byte(test.content), test.mode); err != nil {
				t.Fatal(err)
			}
			got, err := readSolanaKey(path)
			switch {
			case test.want == "" && (err != nil || !bytes.Equal(got, key)):
				t.Errorf("%v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	if _, err := readSolanaKey(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no file is no key")
	}
}

// TestTypedClaim has the types in the order in which they are hashed.
//
// Rules: P9.10.
func TestTypedClaim(t *testing.T) {
	t.Parallel()
	text, err := typedClaim(pb.Network_NETWORK_TESTNET, ident.Address{1}, ident.Address{2})
	if err != nil {
		t.Fatal(err)
	}
	var claim struct {
		Types       map[string][]struct{ Name, Type string }
		PrimaryType string
		Domain      struct {
			Name, Version string
			ChainID       uint64
		}
		Message struct {
			Owner, EthAddress, Network string
			ChainID                    uint64
			VerificationType           int
		}
	}
	if err := json.Unmarshal([]byte(text), &claim); err != nil {
		t.Fatal(err)
	}
	var members []string
	for _, member := range claim.Types[claim.PrimaryType] {
		members = append(members, member.Type+" "+member.Name)
	}
	encoded := claim.PrimaryType + "(" + strings.Join(members, ",") + ")"
	if want := "VerificationClaim(address owner,address ethAddress,uint256 chainId,uint32 verificationType,string network)"; encoded != want {
		t.Errorf("type %q, want %q", encoded, want)
	}
	m := claim.Message
	if m.Owner != (ident.Address{1}).String() || m.EthAddress != (ident.Address{2}).String() || m.Network != "testnet" || m.ChainID != 42431 ||
		m.VerificationType != 1 || claim.Domain.Name != "Makechain" || claim.Domain.Version != "1" || claim.Domain.ChainID != 42431 {
		t.Errorf("claim %s", text)
	}
}
