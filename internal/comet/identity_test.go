package comet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"makechain/internal/comet"
)

// TestJoin makes a second home from the genesis file of a first.
func TestJoin(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	document, err := os.ReadFile(filepath.Join(home, genesisFile))
	if err != nil {
		t.Fatal(err)
	}
	joined := filepath.Join(t.TempDir(), "joined")
	var identities []comet.Identity
	for range 2 { // once more changes nothing
		if err := comet.Join(joined, document); err != nil {
			t.Fatal(err)
		}
		identity, err := comet.EnsureKeys(joined)
		if err != nil {
			t.Fatal(err)
		}
		identities = append(identities, identity)
	}
	own, err := comet.EnsureKeys(home)
	if err != nil {
		t.Fatal(err)
	}
	if identities[0] != identities[1] || identities[0].NodeID == own.NodeID || identities[0].Validator == own.Validator {
		t.Errorf("joined as %v, then %v, beside %v", identities[0], identities[1], own)
	}
	copied, err := os.ReadFile(filepath.Join(joined, genesisFile))
	if err != nil || string(copied) != string(document) {
		t.Errorf("the genesis file has become %s, %v", copied, err)
	}
}

// TestJoinRefuses tries homes and files that do not go together.
func TestJoinRefuses(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile(filepath.Join(newHome(t), genesisFile))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		home     func(t *testing.T) string
		document string
		want     string
	}{
		"no genesis":    {func(t *testing.T) string { t.Helper(); return t.TempDir() }, "{}", "genesis"},
		"another chain": {newHome, string(document), "has another genesis"},
		"lost keys": {func(t *testing.T) string {
			t.Helper()
			home := t.TempDir()
			if err := os.MkdirAll(filepath.Join(home, "data", "blockstore.db"), 0o700); err != nil {
				t.Fatal(err)
			}
			return home
		}, string(document), "has blocks, and no key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := comet.Join(test.home(t), []byte(test.document)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
