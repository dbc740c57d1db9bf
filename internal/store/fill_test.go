package store_test

import (
	"errors"
	"path/filepath"
	"testing"

	"makechain/internal/merkle"
	"makechain/internal/schema"
	"makechain/internal/store"
)

// TestFiller checks that a filled store has its rows, height and root, refuses a wrong root, and continues with blocks.
func TestFiller(t *testing.T) {
	t.Parallel()
	keys := [][]byte{{byte(schema.PrefixAccount), 1}, {byte(schema.PrefixAccount), 2}}
	root := merkle.InnerHash(merkle.LeafHash(keys[0], []byte("value")), merkle.LeafHash(keys[1], []byte("value")))
	fill := func(root merkle.Hash) string {
		dir := t.TempDir()
		f, err := store.NewFiller(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if err := f.Add(key, []byte("value")); err != nil {
				t.Fatal(err)
			}
		}
		for _, key := range [][]byte{keys[0], keys[1], {0}} {
			if err := f.Add(key, []byte("value")); !errors.Is(err, store.ErrPrefix) {
				t.Errorf("key %x after %x: %v", key, keys[1], err)
			}
		}
		if err := f.Finish(t.Context(), 7, root); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	if _, err := store.Open(fill(merkle.EmptyRoot()), store.Options{}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a wrong root: %v", err)
	}
	dir := fill(root)
	if left, err := filepath.Glob(filepath.Join(dir, "fill-*")); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	latest := s.Snapshot()
	if latest.Height() != 7 || latest.Len() != 2 || latest.Root() != root {
		t.Errorf("height %d, %d rows, root %x", latest.Height(), latest.Len(), latest.Root())
	}
	block, err := s.Stage([]schema.Change{{Key: keys[0]}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(latest.Close(), block.Commit(8), s.Close()); err != nil {
		t.Error(err)
	}
}
