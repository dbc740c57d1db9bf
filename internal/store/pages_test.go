package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"makechain/internal/schema"
)

// tinyOptions returns options with which most of a small tree is in pages, and checkpoints are frequent.
func tinyOptions(fs vfs.FS) Options {
	return Options{fs: fs, TreeMemoryRows: 64, segmentBytes: 8 << 10, checkpointRows: 100, checkpointKeys: 150}
}

func openTiny(t testing.TB, fs vfs.FS) *Store {
	t.Helper()
	s, err := Open("state", tinyOptions(fs))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// crashed returns the file system of a store that ended without Close. Nothing is lost.
func crashed(fs *vfs.MemFS) *vfs.MemFS {
	return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
}

// waitForCheckpoint waits until a checkpoint that is being written is durable.
func (s *Store) waitForCheckpoint() {
	s.committing.Lock()
	defer s.committing.Unlock()
	s.checkpoints.wait()
}

// recovered reports whether a store that was just opened restored its tree from a checkpoint.
func (s *Store) recovered() bool { return s.checkpoints.durable > 0 }

// checkPages checks that most of the tree is in pages.
func checkPages(t testing.TB, s *Store) {
	t.Helper()
	latest := s.Snapshot()
	defer closeStore(t, latest)
	if latest.Len() > 200 && (s.tree.Pages() < latest.Len()/64 || s.tree.Nodes() > latest.Len()/2) {
		t.Errorf("%d rows in %d nodes and %d pages", latest.Len(), s.tree.Nodes(), s.tree.Pages())
	}
}

// TestCheckpoints reopens a store with pages after Close and after crashes without loss: the tree is restored from a
// checkpoint.
//
// Rules: T2/start, T2/memory, T2/crash.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	fs := vfs.NewCrashableMem()
	c := newTestChain(31)
	commitTiny := func(s *Store, blocks int) {
		for range blocks {
			commit(t, s, c.height()+1, c.block(100))
			checkPages(t, s)
		}
		c.checkLatest(t, s, c.height())
	}
	s := openTiny(t, fs)
	commitTiny(s, 10)
	for round := range 6 {
		closed := round%2 == 0
		if !closed {
			s.waitForCheckpoint()
			fs = crashed(fs)
		}
		closeStore(t, s)
		if closed {
			checkKeyLog(t, fs, 0)
		}
		s = openTiny(t, fs)
		if !s.recovered() {
			t.Errorf("round %d: the tree was built from its rows", round)
		}
		c.checkLatest(t, s, c.height())
		commitTiny(s, 3+round)
	}
	closeStore(t, s)
}

// checkKeyLog checks the number of blocks in the key log.
func checkKeyLog(t testing.TB, fs vfs.FS, want int) {
	t.Helper()
	tamper(t, fs, func(db *pebble.DB) error {
		iter, err := db.NewIter(&pebble.IterOptions{LowerBound: keyLogKey(0), UpperBound: keyLogEnd()})
		if err != nil {
			return err
		}
		blocks := 0
		for ok := iter.First(); ok; ok = iter.Next() {
			blocks++
		}
		if blocks != want {
			t.Errorf("%d blocks in the key log, want %d", blocks, want)
		}
		return iter.Close()
	})
}

// tamper opens the database of a store.
func tamper(t testing.TB, fs vfs.FS, change func(db *pebble.DB) error) {
	t.Helper()
	db, err := pebble.Open("state", Options{fs: fs}.PebbleOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(change(db), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestPagesCrashAtEveryWrite crashes before every write of a store with pages and checkpoints. From the first checkpoint on the
// tree is always restored from one.
//
// Rules: T2/crash, T2/start, T4.
func TestPagesCrashAtEveryWrite(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("crashes at every write")
	}
	recorder := &crashRecorder{fs: vfs.NewCrashableMem(), rng: rand.New(rand.NewPCG(3, 3))}
	chain := newTestChain(32)
	s := openTiny(t, recordedFS{errorfs.Wrap(recorder.fs, recorder), recorder})
	recorder.made.Store(true)
	commitBlocks := func(blocks int) {
		for range blocks {
			commit(t, s, chain.height()+1, chain.block(50))
			recorder.acknowledged.Store(chain.height())
		}
		s.waitForCheckpoint()
	}
	commitBlocks(4)
	first := s.checkpoints.durable
	withCheckpoint := recorder.count()
	commitBlocks(4)
	if first == 0 || s.checkpoints.durable == first {
		t.Errorf("checkpoints at heights %d and %d, want two", first, s.checkpoints.durable)
	}
	closeStore(t, s)
	for i, c := range recorder.crashes {
		if _, recovered := c.check(t, i, chain, tinyOptions(nil)); i >= withCheckpoint && !recovered {
			t.Errorf("crash %d, before operation %d on %s, losing %s: the tree was built from its rows", i, c.op.Kind, c.op.Path, c.lost)
		}
	}
}

// TestRebuild checks that Open does not trust a checkpoint if it is asked to build the tree: a changed row is detected.
//
// Rules: T2/start.
func TestRebuild(t *testing.T) {
	t.Parallel()
	fs, c := damagedStore(t, 3)
	closeStore(t, openTiny(t, fs))
	options := tinyOptions(fs)
	options.Rebuild = true
	rows := 0
	options.Progress = func(n int) { rows = n }
	s, err := Open("state", options)
	if err != nil {
		t.Fatal(err)
	}
	if s.recovered() || rows != 0 { // fewer rows than between two calls
		t.Errorf("restored from a checkpoint: %v; progress %d", s.recovered(), rows)
	}
	c.checkLatest(t, s, c.height())
	closeStore(t, s)

	key := firstTreeKey(c)
	tamper(t, fs, func(db *pebble.DB) error { return db.Set(key, []byte("other"), pebble.Sync) })
	s = openTiny(t, fs)
	if !s.recovered() {
		t.Error("the tree was built from its rows")
	}
	closeStore(t, s)
	if _, err := Open("state", options); !errors.Is(err, ErrCorrupt) {
		t.Errorf("error %v, want %v", err, ErrCorrupt)
	}
}

func firstTreeKey(c *testChain) []byte {
	for _, row := range c.rows[c.height()].List() {
		if schema.Prefix(row.Key[0]).Merkleized() {
			return row.Key
		}
	}
	return nil
}

// TestWithoutPages opens a store with pages like a program that does not know them, and again with them.
//
// Rules: T2/start, T2/crash.
func TestWithoutPages(t *testing.T) {
	t.Parallel()
	fs, c := damagedStore(t, 4)
	s, err := Open("state", Options{fs: fs, inMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	c.checkLatest(t, s, c.height())
	for range 3 {
		commit(t, s, c.height()+1, c.block(50))
	}
	closeStore(t, s)
	s = openTiny(t, fs)
	if s.recovered() {
		t.Error("a checkpoint without the blocks since was used")
	}
	c.checkLatest(t, s, c.height())
	closeStore(t, s)
}

// TestPagesCannotBeWritten fails all writes to pages and checkpoints: blocks are committed, and the tree stays in memory.
//
// Rules: T2/crash.
func TestPagesCannotBeWritten(t *testing.T) {
	t.Parallel()
	failure := errors.New("no space")
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if strings.Contains(op.Path, pagesDir) && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return failure
		}
		return nil
	})
	s, c := openTiny(t, errorfs.Wrap(vfs.NewMem(), inject)), newTestChain(33)
	for range 10 {
		commit(t, s, c.height()+1, c.block(100))
		c.checkLatest(t, s, c.height())
	}
	closeStore(t, s)
}

// TestRestoreWithPages restores a state that does not fit in memory.
//
// Rules: T1.1, T2/memory.
func TestRestoreWithPages(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	s, c := openTiny(t, fs), restoredChain(34, 3)
	if err := c.fill(t, s).Abort(); err != nil {
		t.Fatal(err)
	}
	if err := c.fill(t, s).Finish(3, c.root(), indexAll); err != nil {
		t.Fatal(err)
	}
	checkPages(t, s)
	c.checkLatest(t, s, 3)
	commit(t, s, 4, c.block(100))
	closeStore(t, s)
	s = openTiny(t, fs)
	if !s.recovered() {
		t.Error("the tree was built from its rows")
	}
	c.checkLatest(t, s, 4)
	checkRestoredHeight(t, s, 3)
	closeStore(t, s)
}

// TestKeyLog encodes and decodes changed keys, and checks that every changed or missing byte is detected.
//
// Rules: T2/start.
func TestKeyLog(t *testing.T) {
	t.Parallel()
	changes := newTestChain(35).block(40)
	before := head{height: 7, root: [32]byte{1, 2, 3}}
	encoded := encodeKeyLog(before, changes)
	got, keys, err := decodeKeyLog(encoded, nil)
	if err != nil || got != before || len(keys) != len(changes) {
		t.Fatalf("%v and %d keys, %v", got, len(keys), err)
	}
	for i, key := range keys {
		if !bytes.Equal(key.key, changes[i].Key) || key.existed != changes[i].Existed {
			t.Fatalf("key %d is %x, want %x", i, key.key, changes[i].Key)
		}
	}
	for i := range encoded {
		damaged := bytes.Clone(encoded)
		damaged[i] ^= 0x10
		if _, _, err := decodeKeyLog(damaged, nil); !errors.Is(err, errKeyLog) {
			t.Fatalf("byte %d changed: error %v", i, err)
		}
		if _, _, err := decodeKeyLog(encoded[:i], nil); !errors.Is(err, errKeyLog) {
			t.Fatalf("%d bytes: error %v", i, err)
		}
	}
}

// FuzzKeyLog decodes rows with a valid checksum.
func FuzzKeyLog(f *testing.F) {
	f.Add(encodeKeyLog(head{}, newTestChain(36).block(5))[keyLogHeightAt:])
	f.Fuzz(func(t *testing.T, content []byte) {
		b := binary.BigEndian.AppendUint32(nil, checksum(content))
		_, keys, err := decodeKeyLog(append(b, content...), nil)
		if err != nil && !errors.Is(err, errKeyLog) {
			t.Fatal(err)
		}
		for _, key := range keys {
			if len(key.key) > len(content)*len(content) {
				t.Fatalf("a key of %d bytes", len(key.key))
			}
		}
	})
}
