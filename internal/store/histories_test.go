package store

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// history drives a store with pages and one without through the same random blocks.
type history struct {
	t       *testing.T
	rng     *rand.Rand
	chain   *testChain
	fs      *vfs.MemFS
	paged   *Store
	plain   *Store
	readers sync.WaitGroup
	held    []func() // checks of snapshots that are held open
}

// TestHistories compares a store with pages, which is closed, crashes and is read from old snapshots, with a store
// without pages, in long random histories.
//
// Rules: T1.1, T2/reads, T2/memory, T2/crash, T4.
func TestHistories(t *testing.T) {
	t.Parallel()
	seeds, blocks := uint64(2), 30
	if testing.Short() {
		seeds, blocks = 1, 15
	}
	for seed := range seeds {
		plain, err := OpenMemory(Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := &history{t: t, rng: rand.New(rand.NewPCG(seed, 7)), chain: newTestChain(100 + seed), fs: vfs.NewCrashableMem(), plain: plain}
		h.chain.wide = seed%2 == 1
		h.open()
		for range blocks {
			h.step()
		}
		h.restart()
		h.chain.checkLatest(t, h.paged, h.chain.height())
		closeStore(t, h.paged)
		closeStore(t, h.plain)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// open opens the store with pages, with random settings.
func (h *history) open() {
	h.t.Helper()
	options := tinyOptions(h.fs)
	options.TreeMemoryRows = 1 + h.rng.IntN(500)
	options.segmentBytes = 2<<10 + h.rng.IntN(64<<10)
	options.checkpointKeys = 1 + h.rng.IntN(1000)
	options.Parallelism = 1 + h.rng.IntN(3)
	var err error
	if h.paged, err = Open("state", options); err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) step() {
	h.t.Helper()
	switch h.rng.IntN(10) {
	case 0:
		h.restart()
		return
	case 1:
		h.release()
	case 2, 3:
		h.hold()
	}
	height := h.chain.height() + 1
	changes := h.chain.block(1 + h.rng.IntN(150))
	if h.rng.IntN(4) == 0 { // a block that another one replaces
		dropped, err := h.paged.Stage(changes[:len(changes)/2])
		if err != nil {
			h.t.Fatal(err)
		}
		defer closeStore(h.t, closer(dropped.Discard))
	}
	commit(h.t, h.paged, height, changes)
	commit(h.t, h.plain, height, changes)
	paged, plain := h.paged.Snapshot(), h.plain.Snapshot()
	if paged.Root() != plain.Root() || paged.Len() != plain.Len() {
		h.t.Fatalf("height %d: root %x of %d rows, want %x of %d", height, paged.Root(), paged.Len(), plain.Root(), plain.Len())
	}
	closeStore(h.t, paged)
	closeStore(h.t, plain)
}

// hold opens a snapshot, which is checked at once by another goroutine and again when it is closed.
func (h *history) hold() {
	h.t.Helper()
	snapshot, seen := h.paged.Snapshot(), &testChain{rows: h.chain.rows, roots: h.chain.roots}
	done := make(chan struct{})
	h.readers.Go(func() {
		defer close(done)
		seen.check(h.t, snapshot)
	})
	h.held = append(h.held, func() {
		<-done
		seen.check(h.t, snapshot)
		closeStore(h.t, snapshot)
	})
}

// release closes the snapshots in random order.
func (h *history) release() {
	h.t.Helper()
	h.readers.Wait()
	h.rng.Shuffle(len(h.held), func(i, j int) { h.held[i], h.held[j] = h.held[j], h.held[i] })
	for _, check := range h.held {
		check()
	}
	h.held = nil
}

// restart opens the store with pages again, after it was closed or has crashed.
func (h *history) restart() {
	h.t.Helper()
	h.release()
	fs := h.fs
	if h.rng.IntN(2) == 0 {
		// Every block was synced. Some of what was not, such as pages, is lost.
		fs = h.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50 * h.rng.IntN(3), RNG: h.rng})
	}
	closeStore(h.t, h.paged)
	h.fs = fs
	h.open()
	latest := h.paged.Snapshot()
	if latest.Height() != h.chain.height() || latest.Root() != h.chain.root() {
		h.t.Fatalf("height %d with root %x, want %d with %x", latest.Height(), latest.Root(), h.chain.height(), h.chain.root())
	}
	closeStore(h.t, latest)
}
