package comet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"makechain/internal/comet"
)

// TestJoin checks that a home can be initialized from the genesis file of another.
func TestJoin(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	document, err := os.ReadFile(filepath.Join(home, genesisFile))
	if err != nil {
		t.Fatal(err)
	}
	joined := filepath.Join(t.TempDir(), "joined")
	var identities []comet.Identity
	for range 2 { // the second call changes nothing
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
		t.Errorf("identities %v and %v, and %v of the first home", identities[0], identities[1], own)
	}
	copied, err := os.ReadFile(filepath.Join(joined, genesisFile))
	if err != nil || string(copied) != string(document) {
		t.Errorf("the genesis file is %s, %v", copied, err)
	}
}

// TestJoinErrors checks that genesis files are refused in homes of other chains and without keys.
func TestJoinErrors(t *testing.T) {
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
		"another chain": {newHome, string(document), "has a different genesis"},
		"lost keys": {func(t *testing.T) string {
			t.Helper()
			home := t.TempDir()
			if err := os.MkdirAll(filepath.Join(home, "data", "blockstore.db"), 0o700); err != nil {
				t.Fatal(err)
			}
			return home
		}, string(document), "has blocks but a key is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := comet.Join(test.home(t), []byte(test.document)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
