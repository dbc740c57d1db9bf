package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"makechain/internal/ledgertest"
	"makechain/internal/statesync"
	"makechain/internal/store"
	"makechain/message"
)

// heights returns the heights of the snapshots in a directory.
func heights(d *Directory) []uint64 {
	var heights []uint64
	for _, s := range d.List() {
		heights = append(heights, s.Height)
	}
	return heights
}

func names(t *testing.T, path string) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, entry := range entries {
		found[entry.Name()] = true
	}
	return found
}

// TestDirectory checks that a directory keeps the newest snapshots, also after it is reopened, and returns their chunks.
func TestDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "snapshots")
	d := openDir(t, path, 2)
	if d.Newest() != nil || d.Oldest() != 0 || len(d.Offers()) != 0 {
		t.Errorf("an empty directory has %v", d.Newest())
	}
	c := newChain(t, 1)
	c.commit(c.register("alice")...)
	for _, star := range []string{"one", "two"} {
		take(t, d, c.store)
		latest := c.store.Rows()
		if err := errors.Join(d.Take(latest)); !errors.Is(err, ErrExists) {
			t.Errorf("the same height: error %v, want %v", err, ErrExists)
		}
		if err := latest.Close(); err != nil {
			t.Error(err)
		}
		c.commit(c.Sign(c.Actor("alice"), message.Follow(c.Actor("friend-"+star).Address)))
	}
	newest := take(t, d, c.store)
	info := d.Newest()
	if info.GetBlockNumber() != newest.Height || Hash(info.GetStateRoot()) != newest.Root || uint64(info.GetEntryCount()) != newest.Rows || info.GetEstimatedSizeBytes() != newest.Size {
		t.Errorf("the newest snapshot is %v, want %+v", info, newest)
	}
	if d.Oldest() != newest.Height-1 {
		t.Errorf("the oldest snapshot has height %d, want %d", d.Oldest(), newest.Height-1)
	}
	if got := heights(d); len(got) != 2 || got[0] != newest.Height || got[1] != newest.Height-1 {
		t.Errorf("heights %d, want the two up to %d", got, newest.Height)
	}
	for _, missing := range [][3]uint64{{newest.Height - 2, Format, 0}, {newest.Height, Format + 1, 0}, {newest.Height, Format, 1}} {
		if _, err := d.Chunk(missing[0], uint32(missing[1]), uint32(missing[2])); !errors.Is(err, statesync.ErrNotFound) {
			t.Errorf("chunk %d: error %v, want %v", missing, err, statesync.ErrNotFound)
		}
	}
	if found := names(t, path); len(found) != 2 {
		t.Errorf("files %v, want 2", found)
	}
	p := load(t, d, newest)
	if uint64(len(p.chunks[0])) != newest.Size {
		t.Errorf("size %d, want %d", newest.Size, len(p.chunks[0]))
	}
	d.Close()

	d = openDir(t, path, 1)
	if got := heights(d); len(got) != 1 || got[0] != newest.Height || d.List()[0].Size != newest.Size {
		t.Errorf("after reopening: %+v", d.List())
	}
	if err := load(t, d, d.List()[0]).restore(restorerOf(newStore(t, 1)), newest.Root); err != nil {
		t.Error(err)
	}
}

// TestIncompleteSnapshots checks that Open removes what a crash or a disk error can leave in a directory, and keeps other
// files.
func TestIncompleteSnapshots(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	d := openDir(t, path, 9)
	c := newChain(t, 1)
	c.commit(c.register("alice")...)
	good := take(t, d, c.store)
	d.Close()
	manifest := func(height uint64) []byte {
		m := *good.Manifest
		m.Height = height
		return m.Encode()
	}
	write(t, filepath.Join(path, unfinished+"8", chunkFile(0)), []byte("half a chunk"))
	write(t, filepath.Join(path, "100", chunkFile(0)), []byte("no manifest"))
	write(t, filepath.Join(path, "101", manifestFile), manifest(101)) // and no chunk
	write(t, filepath.Join(path, "102", manifestFile), manifest(103)) // different height
	write(t, filepath.Join(path, "102", chunkFile(0)), nil)
	write(t, filepath.Join(path, "104", manifestFile), manifest(104)[1:])
	write(t, filepath.Join(path, "105", manifestFile), nil)
	write(t, filepath.Join(path, "notes.txt"), []byte("not a snapshot"))
	d = openDir(t, path, 9)
	if got := heights(d); len(got) != 1 || got[0] != good.Height {
		t.Errorf("heights %d, want only %d", got, good.Height)
	}
	if found := names(t, path); len(found) != 2 || !found["notes.txt"] {
		t.Errorf("remaining files: %v", found)
	}
	write(t, filepath.Join(d.dir(good.Height), chunkFile(0)), []byte("damaged"))
	if _, err := d.Chunk(good.Height, Format, 0); !errors.Is(err, statesync.ErrChunk) {
		t.Errorf("a damaged chunk: error %v, want %v", err, statesync.ErrChunk)
	}
	if err := os.Remove(filepath.Join(d.dir(good.Height), chunkFile(0))); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Chunk(good.Height, Format, 0); !errors.Is(err, statesync.ErrNotFound) {
		t.Errorf("a removed chunk: error %v, want %v", err, statesync.ErrNotFound)
	}
}

// blocking is a state whose scan waits for proceed.
type blocking struct {
	*store.Rows
	reached, proceed chan struct{}
	once             *sync.Once
}

func (s blocking) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	return s.Rows.Scan(lower, upper, func(key, value []byte) bool {
		s.once.Do(func() {
			close(s.reached)
			<-s.proceed
		})
		return visit(key, value)
	})
}

// TestOneAtATime checks that a snapshot is refused while another is being taken, and closes the directory during one.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	d := openDir(t, path, 2)
	c := newChain(t, 1)
	c.commit(c.register("alice")...)
	first := blocking{c.store.Rows(), make(chan struct{}), make(chan struct{}), new(sync.Once)}
	d.TakeAsync(first)
	<-first.reached
	c.commit(c.register("bobby")...)
	second := c.store.Rows()
	if err := d.Take(second); !errors.Is(err, ErrBusy) {
		t.Errorf("a second snapshot: error %v, want %v", err, ErrBusy)
	}
	d.TakeAsync(second) // closes it; otherwise the store fails to close
	close(first.proceed)
	d.taking.Wait()
	if got := heights(d); len(got) != 1 || got[0] != first.Height() {
		t.Errorf("heights %d, want %d", got, first.Height())
	}

	third := blocking{c.store.Rows(), make(chan struct{}), make(chan struct{}), new(sync.Once)}
	d.TakeAsync(third)
	<-third.reached
	go close(third.proceed)
	d.Close()
	if found := names(t, path); len(found) != 1 && len(found) != 2 || found[unfinished+"3"] {
		t.Errorf("remaining files: %v", found)
	}
	last := c.store.Rows()
	if err := d.Take(last); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: error %v, want %v", err, ErrClosed)
	}
	if err := last.Close(); err != nil {
		t.Error(err)
	}
}

// TestTakeDuringCommits takes snapshots in the background while blocks are committed, and checks that each is the state at
// its height.
//
// Rules: T2/reads, I1.
func TestTakeDuringCommits(t *testing.T) {
	t.Parallel()
	const blocks = 40
	d := openDir(t, t.TempDir(), blocks)
	c := newChain(t, 2)
	c.commit(c.register("alice")...)
	for i := range blocks {
		d.TakeAsync(c.store.Rows())
		friend := ledgertest.Secret("friend", string(rune('a'+i)))
		c.commit(c.Sign(c.Actor("alice"), message.Follow([20]byte(friend[:20]))))
	}
	d.taking.Wait()
	list := d.List()
	if len(list) == 0 {
		t.Fatal("no snapshot was taken")
	}
	for _, s := range list {
		target := openStore(t, 1)
		if err := load(t, d, s).restore(restorerOf(target), c.roots[s.Height]); err != nil {
			t.Errorf("height %d: %v", s.Height, err)
		}
		closeStore(t, target)
	}
}
