package comet_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"makechain/internal/comet"
)

// TestIncompleteDatabases checks that an engine starts in a home in which a crash interrupted the creation of a database, and
// does not start when a database with entries has lost its CURRENT file.
func TestIncompleteDatabases(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"blockstore.db", "state.db", "evidence.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := newHome(t)
			directory := filepath.Join(home, "data", name)
			makeIncomplete(t, directory, "LOCK", "LOG", "MANIFEST-000000")
			if _, err := comet.OpenBlocks(home); !errors.Is(err, comet.ErrNoChain) {
				t.Errorf("blocks of an incomplete database: %v, want %v", err, comet.ErrNoChain)
			}
			engine := start(t, testConfig(home), newMemoryApp())
			submit(t, engine, accountMessage(t, 1))
			stop(t, engine)
			for _, lost := range []string{"CURRENT", "CURRENT.bak"} {
				if err := os.Remove(filepath.Join(directory, lost)); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
			_, err := comet.Start(t.Context(), testConfig(home), newMemoryApp(), quiet())
			if err == nil || !strings.Contains(err.Error(), "entry point") {
				t.Errorf("opening a damaged database: %v", err)
			}
		})
	}
}

// makeIncomplete creates the first files of a database.
func makeIncomplete(t *testing.T, directory string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(directory, name), []byte("incomplete"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
