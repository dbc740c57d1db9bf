package verify

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

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// TestSolanaKey checks both forms of a key, invalid files, and files that others may read.
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
		"open":       {"[" + numbers + "]", 0o644, "gives others access"},
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
		t.Error("a missing file is a key")
	}
}

// TestTypedClaim checks that the types are in the order in which they are hashed.
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
