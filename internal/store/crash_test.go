package store

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// crash is the file system after a crash before one write.
type crash struct {
	op   errorfs.Op
	fs   *vfs.MemFS
	lost string
	low  uint64 // the last height that had been acknowledged for certain
	high uint64 // the last height that may have been
}

// crashRecorder records the file system after a crash at every write: with synced data only, with all data, and with a random
// part of the data that was not synced.
type crashRecorder struct {
	fs           *vfs.MemFS
	made         atomic.Bool // the store is there; what the database does before does not bear the loss of a part
	acknowledged atomic.Uint64

	mu      sync.Mutex // guards all below
	rng     *rand.Rand
	crashes []crash
}

// String implements errorfs.Injector.
func (*crashRecorder) String() string { return "crash recorder" }

// MaybeError implements errorfs.Injector. It never fails an operation.
func (r *crashRecorder) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, kept := range []int{0, 50, 100} {
		if kept == 50 && !r.made.Load() {
			continue
		}
		c := crash{op: op, lost: fmt.Sprintf("%d%% of what was not synced", 100-kept), low: r.acknowledged.Load()}
		c.fs = r.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: r.rng})
		c.high = r.acknowledged.Load() + 1
		r.crashes = append(r.crashes, c)
	}
	return nil
}

// count returns the number of crashes so far.
func (r *crashRecorder) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.crashes)
}

// recordedFS records all writes, including those to a reused log file, which the wrapped file system does not report.
type recordedFS struct {
	*errorfs.FS
	recorder *crashRecorder
}

func (fs recordedFS) ReuseForWrite(from, to string, category vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := fs.FS.ReuseForWrite(from, to, category)
	if err != nil {
		return nil, err
	}
	return errorfs.WrapFile(file, fs.recorder), nil
}

// TestCrashAtEveryWrite crashes before every write of a sequence of blocks, flushes and compactions, and checks that the
// reopened store has every acknowledged block, is at one of the two heights with its rows and root, and accepts blocks.
//
// Rules: T2/crash, T4.
func TestCrashAtEveryWrite(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("crashes at every write")
	}
	const blocks = 12
	recorder := &crashRecorder{fs: vfs.NewCrashableMem(), rng: rand.New(rand.NewPCG(1, 1))}
	chain := newTestChain(6)
	s := open(t, recordedFS{errorfs.Wrap(recorder.fs, recorder), recorder})
	recorder.made.Store(true)
	for range blocks {
		commit(t, s, chain.height()+1, chain.block(60))
		recorder.acknowledged.Store(chain.height())
		if chain.height()%3 == 0 {
			if err := s.db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.db.Compact(t.Context(), []byte{0}, rowsEnd(), false); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	if len(recorder.crashes) < 3*100 {
		t.Errorf("%d crashes, want more", len(recorder.crashes))
	}
	heights := map[uint64]bool{}
	for i, c := range recorder.crashes {
		height, _ := c.check(t, i, chain, Options{})
		heights[height] = true
	}
	for height := range uint64(blocks + 1) {
		if !heights[height] {
			t.Errorf("no crash left the store at height %d", height)
		}
	}
}

// check opens the store after the crash. It returns its height, and whether its tree was restored from a checkpoint.
func (c crash) check(t *testing.T, i int, chain *testChain, options Options) (height uint64, recovered bool) {
	t.Helper()
	options.fs = c.fs
	s, err := Open("state", options)
	if err != nil {
		t.Fatalf("crash %d, before operation %d on %s, losing %s: %v", i, c.op.Kind, c.op.Path, c.lost, err)
	}
	snapshot := s.Snapshot()
	height, recovered = snapshot.Height(), s.recovered()
	if height < c.low || height > c.high {
		t.Fatalf("crash %d, before operation %d on %s, losing %s: height %d, want %d to %d",
			i, c.op.Kind, c.op.Path, c.lost, height, c.low, c.high)
	}
	chain.check(t, snapshot)
	closeStore(t, snapshot)
	after := &testChain{
		rng: rand.New(rand.NewPCG(uint64(i), 1)), rows: chain.rows[: height+1 : height+1], roots: chain.roots[: height+1 : height+1],
	}
	commit(t, s, height+1, after.block(5))
	after.checkLatest(t, s, height+1)
	closeStore(t, s)
	return height, recovered
}
