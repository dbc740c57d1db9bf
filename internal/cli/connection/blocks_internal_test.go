package connection

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestBlockMemory checks that the highest block of each chain is stored, never lowered, and also while several programs store.
func TestBlockMemory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "config")
	memory := func() *blockMemory { return &blockMemory{dir: &ConfigDir{Given: dir}} }
	expect := func(chainID string, want uint64) {
		t.Helper()
		if got, err := memory().HighestBlock(chainID); err != nil || got != want {
			t.Errorf("highest block of %s is %d, want %d: %v", chainID, got, want, err)
		}
	}
	expect("a", 0)
	for _, number := range []uint64{5, 7, 6} {
		if err := memory().SetHighestBlock("a", number); err != nil {
			t.Fatal(err)
		}
	}
	expect("a", 7)
	expect("b", 0)
	disabled := memory()
	disabled.disabled = true
	if err := disabled.SetHighestBlock("a", 9); err != nil {
		t.Error(err)
	}
	expect("a", 7)
	if got, err := disabled.HighestBlock("a"); got != 0 || err != nil {
		t.Errorf("disabled: %d, %v", got, err)
	}
	// Several programs that store at a time: each of two chains ends at its highest block.
	const highest = 40
	var programs sync.WaitGroup
	for number := range uint64(highest) {
		programs.Go(func() {
			for _, chainID := range []string{"b", "c"} {
				if err := memory().SetHighestBlock(chainID, number+1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	programs.Wait()
	expect("a", 7)
	expect("b", highest)
	expect("c", highest)
	if err := os.WriteFile(filepath.Join(dir, blocksFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := memory().HighestBlock("a"); err == nil || !strings.Contains(err.Error(), blocksFile) {
		t.Errorf("a broken file: %v", err)
	}
}
