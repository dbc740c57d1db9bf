package store

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"makechain/internal/index"
	"makechain/internal/merkle"
	"makechain/internal/schema"
	"makechain/internal/statesync"
)

// restoredChain returns a chain with blocks, whose last state is restored.
func restoredChain(seed uint64, blocks int) *testChain {
	c := newTestChain(seed)
	for range blocks {
		c.block(400)
	}
	return c
}

// indexAll emits an index row for each height.
func indexAll(state index.View, emit func(schema.Change) error) error {
	for height := uint64(1); height <= state.(*Snapshot).Height(); height++ {
		key := binary.BigEndian.AppendUint64([]byte{FirstIndexPrefix}, height)
		if err := emit(schema.Change{Key: key, Value: []byte{}}); err != nil {
			return err
		}
	}
	return nil
}

// fill starts a restoration and adds all rows of the chain's last state.
func (c *testChain) fill(t testing.TB, s *Store) *Restoration {
	t.Helper()
	r, err := s.Restore()
	if err != nil {
		t.Fatal(err)
	}
	err = c.rows[c.height()].All(func(key, value []byte) error { return r.Add(schema.Change{Key: key, Value: value}) })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (c *testChain) root() merkle.Hash { return c.roots[c.height()] }

// TestRestore restores a state in an empty store, and checks that readers see it only when it is complete and that blocks
// can be committed afterwards.
//
// Rules: T1.1, P6.2.
func TestRestore(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	s, c := open(t, fs), restoredChain(21, 3)
	reader := s.Snapshot()
	r := c.fill(t, s)
	c.checkLatest(t, s, 0)
	checkRestoredHeight(t, s, 0)
	if _, err := s.Restore(); !errors.Is(err, ErrRestoring) {
		t.Errorf("a second restoration: error %v, want %v", err, ErrRestoring)
	}
	staged, err := s.Stage([]schema.Change{{Key: []byte("\x04a"), Value: []byte{1}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := staged.Commit(1); !errors.Is(err, ErrRestoring) {
		t.Errorf("a block during a restoration: error %v, want %v", err, ErrRestoring)
	}
	if err := r.Finish(3, c.root(), indexAll); err != nil {
		t.Fatal(err)
	}
	c.check(t, reader)
	closeStore(t, reader)
	c.checkLatest(t, s, 3)
	if _, err := s.Restore(); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("a restoration afterwards: error %v, want %v", err, ErrNotEmpty)
	}
	commit(t, s, 4, c.block(100))
	closeStore(t, s)
	s = open(t, fs)
	c.checkLatest(t, s, 4)
	checkRestoredHeight(t, s, 3)
	closeStore(t, s)
}

// checkRestoredHeight checks the height at which the state was restored.
func checkRestoredHeight(t testing.TB, s *Store, want uint64) {
	t.Helper()
	if origin, err := s.RestoredHeight(); origin != want || err != nil {
		t.Errorf("origin %d, %v, want %d", origin, err, want)
	}
}

// TestRestoreInBatches restores more than a restoration holds in memory.
func TestRestoreInBatches(t *testing.T) {
	t.Parallel()
	s, c := open(t, vfs.NewMem()), newTestChain(22)
	value := make([]byte, 1<<20)
	var changes []schema.Change
	for i := range 10 {
		changes = append(changes, schema.Change{Key: []byte{byte(schema.PrefixAccount), byte(i)}, Value: value})
	}
	c.rows = append(c.rows, c.rows[0].Apply(changes))
	c.roots = append(c.roots, rootOf(c.rows[1]))
	if err := c.fill(t, s).Finish(1, c.root(), indexAll); err != nil {
		t.Fatal(err)
	}
	c.checkLatest(t, s, 1)
	closeStore(t, s)
}

// TestRestoreRefused checks that the store is empty after a failed restoration, also when it is reopened, and that another
// restoration succeeds.
//
// Rules: T1.1.
func TestRestoreRefused(t *testing.T) {
	t.Parallel()
	failure := errors.New("no index")
	tests := []struct {
		name string
		end  func(c *testChain, r *Restoration) error
		want error
	}{
		{"aborted", func(_ *testChain, r *Restoration) error { return r.Abort() }, nil},
		{"different root", func(_ *testChain, r *Restoration) error { return r.Finish(1, merkle.Hash{1}, indexAll) }, statesync.ErrRoot},
		{"additional row", func(c *testChain, r *Restoration) error {
			if err := r.Add(schema.Change{Key: []byte("\x1czz"), Value: []byte{1}}); err != nil {
				return err
			}
			return r.Finish(1, c.root(), indexAll)
		}, statesync.ErrRoot},
		{"genesis", func(c *testChain, r *Restoration) error { return r.Finish(0, c.root(), indexAll) }, ErrStale},
		{"failing index", func(c *testChain, r *Restoration) error {
			return r.Finish(1, c.root(), func(index.View, func(schema.Change) error) error { return failure })
		}, failure},
		{"index row with a state key", func(c *testChain, r *Restoration) error {
			return r.Finish(1, c.root(), func(_ index.View, emit func(schema.Change) error) error {
				return emit(schema.Change{Key: []byte("\x04a"), Value: []byte{1}})
			})
		}, ErrPrefix},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fs := vfs.NewMem()
			s, c := open(t, fs), restoredChain(23, 1)
			r := c.fill(t, s)
			for _, key := range []string{"", "\x00", "\x02a", string([]byte{byte(schema.LastPrefix) + 1}), "\x80"} {
				if err := r.Add(schema.Change{Key: []byte(key), Value: []byte{1}}); !errors.Is(err, ErrPrefix) {
					t.Errorf("key %x: error %v, want %v", key, err, ErrPrefix)
				}
			}
			if err := test.end(c, r); !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			c.checkLatest(t, s, 0)
			if nodes := s.tree.Nodes(); nodes != 0 {
				t.Errorf("%d nodes were not released", nodes)
			}
			closeStore(t, s)
			s = open(t, fs)
			c.checkLatest(t, s, 0)
			if err := c.fill(t, s).Finish(1, c.root(), indexAll); err != nil {
				t.Fatal(err)
			}
			c.checkLatest(t, s, 1)
			closeStore(t, s)
		})
	}
}

// TestRestoreCrash crashes before every write of a restoration, and checks that the reopened store is empty or has the
// complete state, and has it if Finish had returned.
//
// Rules: T2/crash.
func TestRestoreCrash(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("crashes at every write")
	}
	const height = 2
	recorder := &crashRecorder{fs: vfs.NewCrashableMem(), rng: rand.New(rand.NewPCG(2, 2))}
	c := restoredChain(24, height)
	s := open(t, recordedFS{errorfs.Wrap(recorder.fs, recorder), recorder})
	r := c.fill(t, s)
	if err := errors.Join(r.flush(), s.db.Flush()); err != nil { // so that there are writes before Finish
		t.Fatal(err)
	}
	if err := r.Finish(height, c.root(), indexAll); err != nil {
		t.Fatal(err)
	}
	recorder.acknowledged.Store(height)
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	heights := map[uint64]int{}
	for i, crash := range recorder.crashes {
		s, err := Open("state", Options{fs: crash.fs})
		if err != nil {
			t.Fatalf("crash %d, before operation %d on %s, losing %s: %v", i, crash.op.Kind, crash.op.Path, crash.lost, err)
		}
		latest := s.Snapshot()
		heights[latest.Height()]++
		if latest.Height() != height && (latest.Height() != 0 || crash.low == height) {
			t.Errorf("crash %d left the store at height %d", i, latest.Height())
		}
		c.check(t, latest)
		closeStore(t, latest)
		if latest.Height() == 0 {
			if err := c.fill(t, s).Finish(height, c.root(), indexAll); err != nil {
				t.Fatalf("crash %d: %v", i, err)
			}
			c.checkLatest(t, s, height)
		}
		closeStore(t, s)
	}
	if heights[0] == 0 || heights[height] == 0 {
		t.Errorf("heights after the crashes: %v, want both 0 and the last", heights)
	}
}
