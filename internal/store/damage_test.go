package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"makechain/internal/schema"
)

// damagedStore returns the file system of a store with pages, a checkpoint and a key log that was not closed, and its chain.
func damagedStore(t testing.TB, seed uint64) (*vfs.MemFS, *testChain) {
	t.Helper()
	fs, c := vfs.NewCrashableMem(), newTestChain(seed)
	c.wide = true
	options := tinyOptions(fs)
	options.checkpointKeys = 1 << 30 // one checkpoint only
	s, err := Open("state", options)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		commit(t, s, c.height()+1, c.block(150))
	}
	s.waitForCheckpoint()
	s.checkpoints.tried = false
	commit(t, s, c.height()+1, c.block(150))
	s.waitForCheckpoint()
	for range 4 {
		commit(t, s, c.height()+1, c.block(20))
	}
	fs = crashed(fs)
	closeStore(t, s)
	return fs, c
}

// rewrite replaces the content of files in the directory of pages.
func rewrite(t testing.TB, fs vfs.FS, isCheckpoint bool, change func(content []byte) []byte) {
	t.Helper()
	dir := fs.PathJoin("state", pagesDir)
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, name := range names {
		if strings.HasPrefix(name, checkpointFile) != isCheckpoint {
			continue
		}
		found = true
		path := fs.PathJoin(dir, name)
		content := change(readFile(t, fs, path))
		if content == nil {
			if err := fs.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		writeFile(t, fs, path, content)
	}
	if !found {
		t.Fatal("there is no such file")
	}
}

func readFile(t testing.TB, fs vfs.FS, path string) []byte {
	t.Helper()
	file, err := fs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return content
}

func writeFile(t testing.TB, fs vfs.FS, path string, content []byte) {
	t.Helper()
	file, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Write(content)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// flip returns content with a random bit of each 512 bytes changed.
func flip(rng *rand.Rand, content []byte) []byte {
	content = bytes.Clone(content)
	for at := 0; at < len(content); at += 512 {
		i := at + rng.IntN(min(512, len(content)-at))
		content[i] ^= 1 << rng.IntN(8)
	}
	return content
}

// damage is a fault of the files of a state tree.
type damage struct {
	name    string
	apply   func(t *testing.T, fs *vfs.MemFS, rng *rand.Rand)
	rebuilt bool // Open builds the tree from its rows
	either  bool // it depends on whether a damaged page is needed
}

// pageDamage returns faults of the files of pages and of the checkpoint.
func pageDamage() []damage {
	pages := func(change func(rng *rand.Rand, content []byte) []byte) func(*testing.T, *vfs.MemFS, *rand.Rand) {
		return func(t *testing.T, fs *vfs.MemFS, rng *rand.Rand) {
			t.Helper()
			rewrite(t, fs, false, func(content []byte) []byte { return change(rng, content) })
		}
	}
	checkpoint := func(change func(rng *rand.Rand, content []byte) []byte) func(*testing.T, *vfs.MemFS, *rand.Rand) {
		return func(t *testing.T, fs *vfs.MemFS, rng *rand.Rand) {
			t.Helper()
			rewrite(t, fs, true, func(content []byte) []byte { return change(rng, content) })
		}
	}
	bit := func(rng *rand.Rand, content []byte) []byte {
		content = bytes.Clone(content)
		content[rng.IntN(len(content))] ^= 1 << rng.IntN(8)
		return content
	}
	return []damage{
		{"no damage", func(*testing.T, *vfs.MemFS, *rand.Rand) {}, false, false},
		{"lost segments", pages(func(*rand.Rand, []byte) []byte { return nil }), true, false},
		{"truncated segments", pages(func(rng *rand.Rand, b []byte) []byte { return b[:rng.IntN(len(b))] }), true, false},
		{"torn page", pages(func(rng *rand.Rand, b []byte) []byte {
			at := rng.IntN(len(b))
			return append(bytes.Clone(b[:at]), make([]byte, len(b)-at)...)
		}), false, true},
		{"lost checkpoint", checkpoint(func(*rand.Rand, []byte) []byte { return nil }), true, false},
		{"empty checkpoint", checkpoint(func(*rand.Rand, []byte) []byte { return []byte{} }), true, false},
		{"truncated checkpoint", checkpoint(func(rng *rand.Rand, b []byte) []byte { return b[:rng.IntN(len(b))] }), true, false},
		{"checkpoint without its end", checkpoint(func(_ *rand.Rand, b []byte) []byte { return b[:len(b)-frameHead] }), true, false},
		{"bit of the checkpoint", checkpoint(bit), true, false},
		{"lost directory", func(t *testing.T, fs *vfs.MemFS, _ *rand.Rand) {
			t.Helper()
			if err := fs.RemoveAll(fs.PathJoin("state", pagesDir)); err != nil {
				t.Fatal(err)
			}
		}, true, false},
	}
}

// keyLogDamage returns faults of the key log.
func keyLogDamage() []damage {
	row := func(change func(db *pebble.DB, rng *rand.Rand, height uint64, value []byte) error) func(*testing.T, *vfs.MemFS, *rand.Rand) {
		return func(t *testing.T, fs *vfs.MemFS, rng *rand.Rand) {
			t.Helper()
			tamper(t, fs, func(db *pebble.DB) error {
				height := uint64(6 + rng.IntN(4)) // the blocks after the checkpoint of height 5
				value, closer, err := db.Get(keyLogKey(height))
				if err != nil {
					return fmt.Errorf("height %d: %w", height, err)
				}
				return errors.Join(change(db, rng, height, bytes.Clone(value)), closer.Close())
			})
		}
	}
	return []damage{
		{"bit of the key log", row(func(db *pebble.DB, rng *rand.Rand, height uint64, value []byte) error {
			value[rng.IntN(len(value))] ^= 1 << rng.IntN(8)
			return db.Set(keyLogKey(height), value, pebble.Sync)
		}), true, false},
		{"lost block of the key log", row(func(db *pebble.DB, _ *rand.Rand, height uint64, _ []byte) error {
			return db.Delete(keyLogKey(height), pebble.Sync)
		}), true, false},
		{"incomplete key log with a valid checksum", row(func(db *pebble.DB, _ *rand.Rand, height uint64, value []byte) error {
			before, _, err := decodeKeyLog(value, nil)
			if err != nil {
				return err
			}
			return db.Set(keyLogKey(height), encodeKeyLog(before, nil), pebble.Sync)
		}), true, false},
		{"key log with a derived row", row(func(db *pebble.DB, _ *rand.Rand, height uint64, value []byte) error {
			before, _, err := decodeKeyLog(value, nil)
			if err != nil {
				return err
			}
			derived := []schema.Change{{Key: []byte{byte(schema.PrefixAge)}}}
			return db.Set(keyLogKey(height), encodeKeyLog(before, derived), pebble.Sync)
		}), true, false},
		{"lost key log", row(func(db *pebble.DB, _ *rand.Rand, _ uint64, _ []byte) error {
			return db.DeleteRange(keyLogKey(0), keyLogEnd(), pebble.Sync)
		}), true, false},
		{"blocks of a program without pages", func(t *testing.T, fs *vfs.MemFS, _ *rand.Rand) {
			t.Helper()
			tamper(t, fs, func(db *pebble.DB) error { return db.Delete(keyLogKey(9), pebble.Sync) })
		}, true, false},
	}
}

// TestDamagedPages damages pages, checkpoints and the key log of a store that crashed, and checks that the tree is repaired
// or built from its rows, and that blocks can be committed.
//
// Rules: T2/crash, T2/start, T4.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	for _, test := range append(pageDamage(), keyLogDamage()...) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(2) {
				fs, c := damagedStore(t, seed)
				test.apply(t, fs, rand.New(rand.NewPCG(seed, 1)))
				s := openTiny(t, fs)
				if s.recovered() == test.rebuilt && !test.either {
					t.Errorf("seed %d: restored from the checkpoint: %v", seed, s.recovered())
				}
				c.checkLatest(t, s, c.height())
				commit(t, s, c.height()+1, c.block(100))
				closeStore(t, s)
				s = openTiny(t, fs)
				if !s.recovered() {
					t.Errorf("seed %d: the next start did not use a checkpoint", seed)
				}
				c.checkLatest(t, s, c.height())
				closeStore(t, s)
			}
		})
	}
}

// TestFlippedPages changes bits of all pages: each page is detected and computed from its rows, for proofs, updates and when
// it is moved. It tests a store that was closed, and one that was not, whose changed keys must be applied.
//
// Rules: T2/crash, T4.
func TestFlippedPages(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		fs, c := damagedStore(t, seed)
		if seed%2 == 0 {
			closeStore(t, openTiny(t, fs))
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		rewrite(t, fs, false, func(content []byte) []byte { return flip(rng, content) })
		options := tinyOptions(fs)
		log := &warnings{}
		options.Log = slog.New(log)
		s, err := Open("state", options)
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 0 && !s.recovered() {
			t.Errorf("seed %d: the tree was built from its rows", seed)
		}
		c.checkLatest(t, s, c.height())
		for range 2 {
			commit(t, s, c.height()+1, c.block(100))
			c.checkLatest(t, s, c.height())
		}
		closeStore(t, s)
		if log.count() == 0 {
			t.Errorf("seed %d: nothing was logged", seed)
		}
	}
}

// warnings is a slog.Handler that counts warnings.
type warnings struct {
	slog.Handler

	mu sync.Mutex // guards n
	n  int
}

func (*warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (w *warnings) Handle(context.Context, slog.Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	return nil
}

func (w *warnings) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}

// TestForeignCheckpoints uses checkpoints and pages of another chain, and of a later height of the same chain.
//
// Rules: T2/start, T2/crash.
func TestForeignCheckpoints(t *testing.T) {
	t.Parallel()
	fs, c := damagedStore(t, 1)
	other, _ := damagedStore(t, 2)
	later := crashed(fs)
	s := openTiny(t, later)
	ahead := &testChain{rng: rand.New(rand.NewPCG(9, 9)), wide: true, rows: c.rows, roots: c.roots}
	for range 3 {
		commit(t, s, ahead.height()+1, ahead.block(50))
	}
	closeStore(t, s)
	for name, source := range map[string]*vfs.MemFS{"another chain": other, "a later height": later} {
		target := crashed(fs)
		copyPages(t, source, target)
		s := openTiny(t, target)
		if s.recovered() {
			t.Errorf("the checkpoint of %s was used", name)
		}
		chain := &testChain{rng: c.rng, wide: true, rows: c.rows, roots: c.roots}
		chain.checkLatest(t, s, c.height())
		commit(t, s, chain.height()+1, chain.block(50))
		chain.checkLatest(t, s, chain.height())
		closeStore(t, s)
	}
}

// copyPages replaces the pages and the checkpoint of a store by those of another.
func copyPages(t testing.TB, from, to vfs.FS) {
	t.Helper()
	dir := to.PathJoin("state", pagesDir)
	if err := errors.Join(to.RemoveAll(dir), to.MkdirAll(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	names, err := from.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := to.PathJoin(dir, name)
		writeFile(t, to, path, readFile(t, from, path))
	}
}
