package store

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"makechain/internal/merkle"
	"makechain/internal/schema"
)

// TestReopen checks the store when it is reopened between blocks.
//
// Rules: T1.1, T2/start, P7, P11.3.
func TestReopen(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	c := newTestChain(1)
	for range 5 {
		s := open(t, fs)
		c.checkLatest(t, s, c.height())
		for range 4 {
			commit(t, s, c.height()+1, c.block(300))
			c.checkLatest(t, s, c.height())
		}
		closeStore(t, s)
	}
}

// TestOnDisk checks the store on the real file system and in memory, and that it cannot be opened twice.
//
// Rules: T2/start.
func TestOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := newTestChain(2)
	changes := c.block(1000)
	s, err := Open(dir, Options{Parallelism: 3})
	if err != nil {
		t.Fatal(err)
	}
	commit(t, s, 1, changes)
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("opened twice: error %v, want %v", err, ErrLocked)
	}
	closeStore(t, s)
	if s, err = Open(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	c.checkLatest(t, s, 1)
	closeStore(t, s)

	if s, err = OpenMemory(Options{}); err != nil {
		t.Fatal(err)
	}
	commit(t, s, 1, changes)
	c.checkLatest(t, s, 1)
	closeStore(t, s)
}

// TestSnapshotsDuringCommits reads old states while blocks are staged, discarded and committed.
//
// Rules: T2/reads, P10.6.
func TestSnapshotsDuringCommits(t *testing.T) {
	t.Parallel()
	s := open(t, vfs.NewMem())
	c := newTestChain(3)
	var readers sync.WaitGroup
	for range 12 {
		// Readers see the chain as it was when they began: its rows by height are only ever appended to.
		snapshot, seen := s.Snapshot(), &testChain{rows: c.rows, roots: c.roots}
		readers.Go(func() {
			seen.check(t, snapshot)
			if err := snapshot.Close(); err != nil {
				t.Error(err)
			}
		})
		height, changes := c.height()+1, c.block(300)
		dropped, err := s.Stage(changes[:len(changes)/2])
		if err != nil {
			t.Fatal(err)
		}
		commit(t, s, height, changes)
		if err := dropped.Discard(); err != nil {
			t.Fatal(err)
		}
	}
	readers.Wait()
	c.checkLatest(t, s, c.height())
	latest := s.Snapshot()
	if got, want := s.tree.Nodes(), latest.Len()-1; got != want {
		t.Errorf("%d nodes held, want %d", got, want)
	}
	closeStore(t, latest)
	closeStore(t, s)
}

// TestReads checks reads around derived rows, after the last row and of empty values.
//
// Rules: P7, T3.2, T3.6.
func TestReads(t *testing.T) {
	t.Parallel()
	s := open(t, vfs.NewMem())
	keys := []string{"\x03a", "\x17a", "\x18a", "\x19a", "\x1aa", "\x1ca"}
	var changes []schema.Change
	for _, key := range keys {
		changes = append(changes, schema.Change{Key: []byte(key), Value: []byte{}})
	}
	commit(t, s, 7, changes)
	snapshot := s.Snapshot()
	if snapshot.Height() != 7 || snapshot.Len() != 4 {
		t.Errorf("height %d and %d rows, want 7 and 4", snapshot.Height(), snapshot.Len())
	}
	for key, present := range map[string]bool{"\x00": true, "\x03": false, "\x03a": true, "\x18a": true, "\x1cb": false} {
		if value, err := snapshot.Get([]byte(key)); err != nil || (value != nil) != present {
			t.Errorf("row %x is %v, %v; want present %v", key, value, err, present)
		}
	}
	for _, test := range []struct{ key, below, above string }{
		{"", "", "\x03a"},
		{"\x03a", "", "\x17a"},
		{"\x17", "\x03a", "\x17a"},
		{"\x17a", "\x03a", "\x1aa"},
		{"\x18b", "\x17a", "\x1aa"},
		{"\x1aa", "\x17a", "\x1ca"},
		{"\x1ca", "\x1aa", ""},
		{"\xff", "\x1ca", ""},
	} {
		below, above, err := snapshot.Neighbours([]byte(test.key))
		if err != nil || string(below) != test.below || string(above) != test.above {
			t.Errorf("neighbours of %x are %x and %x, %v; want %x and %x", test.key, below, above, err, test.below, test.above)
		}
	}
	var seen []string
	err := snapshot.Scan([]byte("\x17"), []byte("\x1b"), func(key, _ []byte) bool {
		seen = append(seen, string(key))
		return len(seen) < 3
	})
	if err != nil || !slices.Equal(seen, keys[1:4]) {
		t.Errorf("scan returned %x, %v", seen, err)
	}
	closeStore(t, snapshot)
	closeStore(t, s)
}

// TestRefusedBlocks checks that invalid blocks cannot be staged or committed.
//
// Rules: T2/crash.
func TestRefusedBlocks(t *testing.T) {
	t.Parallel()
	s := open(t, vfs.NewMem())
	c := newTestChain(4)
	commit(t, s, 1, c.block(50))
	row := func(key string) []schema.Change { return []schema.Change{{Key: []byte(key), Value: []byte{1}}} }

	for _, key := range []string{"", "\x00", "\x02a", string([]byte{byte(schema.LastPrefix) + 1})} {
		if _, err := s.Stage(row(key)); !errors.Is(err, ErrPrefix) {
			t.Errorf("key %x: error %v, want %v", key, err, ErrPrefix)
		}
	}
	if _, err := s.Stage(append(row("\x05"), row("\x04")...)); !errors.Is(err, merkle.ErrOrder) {
		t.Errorf("error %v, want %v", err, merkle.ErrOrder)
	}
	for _, key := range []string{"", "\x00", "\x04a", "\x7f"} {
		staged, err := s.Stage(row("\x04a"))
		if err != nil {
			t.Fatal(err)
		}
		if err := staged.Commit(2, row(key)...); !errors.Is(err, ErrPrefix) {
			t.Errorf("index key %x: error %v, want %v", key, err, ErrPrefix)
		}
	}
	first, err := s.Stage(row("\x04a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Commit(1); !errors.Is(err, ErrStale) {
		t.Errorf("same height again: error %v, want %v", err, ErrStale)
	}
	late, err := s.Stage(row("\x04b"))
	if err != nil {
		t.Fatal(err)
	}
	commit(t, s, 2, c.block(50))
	if err := late.Commit(3); !errors.Is(err, ErrStale) {
		t.Errorf("staged on an older state: error %v, want %v", err, ErrStale)
	}
	c.checkLatest(t, s, 2)
	closeStore(t, s)
}

// TestPreviousFormat checks that a store of the previous format opens, and that the next block makes it one of this format.
//
// Rules: T2/start.
func TestPreviousFormat(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	s := open(t, fs)
	commit(t, s, 1, []schema.Change{{Key: []byte("\x04a"), Value: []byte("a")}})
	previous := head{height: 1, root: s.latest.Root()}.encode()
	previous[3] = oldestFormat
	if err := s.db.Set(headKey(), previous, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	s = open(t, fs)
	commit(t, s, 2, []schema.Change{{Key: []byte("\x04b"), Value: []byte("b")}})
	value, closer, err := s.db.Get(headKey())
	if err != nil || value[3] != FormatVersion {
		t.Errorf("format %x, %v", value, err)
	}
	if err := closer.Close(); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
}

// TestRefusedStores checks that damaged stores are refused.
//
// Rules: T2/start, T2/crash.
func TestRefusedStores(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		tamper func(db *pebble.DB) error
		want   error
	}{
		{"first format", func(db *pebble.DB) error {
			first := head{height: 1}.encode()
			first[3] = 1
			return db.Set(headKey(), first, pebble.Sync)
		}, ErrFormat},
		{"another format", func(db *pebble.DB) error {
			return db.Set(headKey(), []byte{0, 0, 0, 9, 1, 2, 3}, pebble.Sync)
		}, ErrFormat},
		{"truncated head", func(db *pebble.DB) error {
			return db.Set(headKey(), head{height: 1}.encode()[:headSize-1], pebble.Sync)
		}, ErrCorrupt},
		{"empty head", func(db *pebble.DB) error { return db.Set(headKey(), nil, pebble.Sync) }, ErrCorrupt},
		{"head deleted", func(db *pebble.DB) error { return db.Delete(headKey(), pebble.Sync) }, ErrCorrupt},
		{"row changed", func(db *pebble.DB) error { return db.Set([]byte("\x04a"), []byte("other"), pebble.Sync) }, ErrCorrupt},
		{"row added", func(db *pebble.DB) error { return db.Set([]byte("\x04c"), nil, pebble.Sync) }, ErrCorrupt},
		{"row lost", func(db *pebble.DB) error { return db.Delete([]byte("\x04b"), pebble.Sync) }, ErrCorrupt},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fs := vfs.NewMem()
			s := open(t, fs)
			commit(t, s, 1, []schema.Change{{Key: []byte("\x04a"), Value: []byte("a")}, {Key: []byte("\x04b"), Value: []byte("b")}})
			if err := test.tamper(s.db); err != nil {
				t.Fatal(err)
			}
			closeStore(t, s)
			if _, err := Open("state", Options{fs: fs}); !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
		})
	}
}

// TestLeakedSnapshot checks that closing a store while a snapshot is open returns an error.
func TestLeakedSnapshot(t *testing.T) {
	t.Parallel()
	s := open(t, vfs.NewMem())
	commit(t, s, 1, newTestChain(5).block(50))
	snapshot := s.Snapshot()
	commit(t, s, 2, nil)
	if err := s.Close(); err == nil {
		t.Error("no error while a snapshot is open")
	}
	if snapshot.Height() != 1 {
		t.Errorf("height %d, want 1", snapshot.Height())
	}
}
