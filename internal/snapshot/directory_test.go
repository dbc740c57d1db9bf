package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"makechain/internal/ledgertest"
	"makechain/internal/store"
	"makechain/message"
)

// heights are those of the snapshots that can be served.
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

// TestDirectory keeps the newest snapshots, over a restart too, and serves their chunks.
func TestDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "snapshots")
	d := openDir(t, path, 2)
	if _, found := d.Newest(); found {
		t.Error("an empty directory has a newest snapshot")
	}
	c := newChain(t, 1)
	c.commit(c.join("alice")...)
	for _, star := range []string{"one", "two"} {
		take(t, d, c.store)
		latest := c.store.Snapshot()
		if err := errors.Join(d.Take(latest)); !errors.Is(err, ErrExists) {
			t.Errorf("the same height: error %v, want %v", err, ErrExists)
		}
		if err := latest.Close(); err != nil {
			t.Error(err)
		}
		c.commit(c.Sign(c.Actor("alice"), message.Follow(c.Actor("friend-"+star).Address)))
	}
	newest := take(t, d, c.store)
	if got := heights(d); len(got) != 2 || got[0] != newest.Height || got[1] != newest.Height-1 {
		t.Errorf("heights %d, want the two up to %d", got, newest.Height)
	}
	for _, missing := range [][3]uint64{{newest.Height - 2, Format, 0}, {newest.Height, Format + 1, 0}, {newest.Height, Format, 1}} {
		if _, err := d.Chunk(missing[0], uint32(missing[1]), uint32(missing[2])); !errors.Is(err, ErrNotFound) {
			t.Errorf("chunk %d: error %v, want %v", missing, err, ErrNotFound)
		}
	}
	if found := names(t, path); len(found) != 2 {
		t.Errorf("on disk there are %v", found)
	}
	p := load(t, d, newest)
	if uint64(len(p.chunks[0])) != newest.Size {
		t.Errorf("size %d, want %d", newest.Size, len(p.chunks[0]))
	}
	d.Close()

	d = openDir(t, path, 1)
	if got := heights(d); len(got) != 1 || got[0] != newest.Height || d.List()[0].Size != newest.Size {
		t.Errorf("opened again: %+v", d.List())
	}
	if err := load(t, d, d.List()[0]).restore(restorerOf(newStore(t, 1)), newest.Root); err != nil {
		t.Error(err)
	}
}

// TestUnfinished leaves in a directory what a crash or a bad disk can, and opens it. What is not ours stays.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	d := openDir(t, path, 9)
	c := newChain(t, 1)
	c.commit(c.join("alice")...)
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
	write(t, filepath.Join(path, "102", manifestFile), manifest(103)) // of another height
	write(t, filepath.Join(path, "102", chunkFile(0)), nil)
	write(t, filepath.Join(path, "104", manifestFile), manifest(104)[1:])
	write(t, filepath.Join(path, "105", manifestFile), nil)
	write(t, filepath.Join(path, "notes.txt"), []byte("not a snapshot"))
	d = openDir(t, path, 9)
	if got := heights(d); len(got) != 1 || got[0] != good.Height {
		t.Errorf("heights %d, want %d alone", got, good.Height)
	}
	if found := names(t, path); len(found) != 2 || !found["notes.txt"] {
		t.Errorf("left on disk: %v", found)
	}
	write(t, filepath.Join(d.dir(good.Height), chunkFile(0)), []byte("spoilt"))
	if _, err := d.Chunk(good.Height, Format, 0); !errors.Is(err, ErrChunk) {
		t.Errorf("a spoilt chunk: error %v, want %v", err, ErrChunk)
	}
	if err := os.Remove(filepath.Join(d.dir(good.Height), chunkFile(0))); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Chunk(good.Height, Format, 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("a lost chunk: error %v, want %v", err, ErrNotFound)
	}
}

// slow is a state whose scan waits in the middle.
type slow struct {
	*store.Snapshot
	reached, proceed chan struct{}
	once             *sync.Once
}

func (s slow) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	return s.Snapshot.Scan(lower, upper, func(key, value []byte) bool {
		s.once.Do(func() {
			close(s.reached)
			<-s.proceed
		})
		return visit(key, value)
	})
}

// TestOneAtATime starts a snapshot while another is under way, and closes the directory in the middle of one.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	d := openDir(t, path, 2)
	c := newChain(t, 1)
	c.commit(c.join("alice")...)
	first := slow{c.store.Snapshot(), make(chan struct{}), make(chan struct{}), new(sync.Once)}
	d.TakeAsync(first)
	<-first.reached
	c.commit(c.join("bobby")...)
	second := c.store.Snapshot()
	if err := d.Take(second); !errors.Is(err, ErrBusy) {
		t.Errorf("a second one: error %v, want %v", err, ErrBusy)
	}
	d.TakeAsync(second) // closes it, or the store complains at the end
	close(first.proceed)
	d.taking.Wait()
	if got := heights(d); len(got) != 1 || got[0] != first.Height() {
		t.Errorf("heights %d, want %d", got, first.Height())
	}

	third := slow{c.store.Snapshot(), make(chan struct{}), make(chan struct{}), new(sync.Once)}
	d.TakeAsync(third)
	<-third.reached
	go close(third.proceed)
	d.Close()
	if found := names(t, path); len(found) != 1 && len(found) != 2 || found[unfinished+"3"] {
		t.Errorf("left on disk: %v", found)
	}
	last := c.store.Snapshot()
	if err := d.Take(last); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: error %v, want %v", err, ErrClosed)
	}
	if err := last.Close(); err != nil {
		t.Error(err)
	}
}

// TestWhileBlocksCommit takes snapshots behind the back of a chain that goes on. Each is the state at its height.
//
// Rules: T2/reads, I1.
func TestWhileBlocksCommit(t *testing.T) {
	t.Parallel()
	const blocks = 40
	d := openDir(t, t.TempDir(), blocks)
	c := newChain(t, 2)
	c.commit(c.join("alice")...)
	for i := range blocks {
		d.TakeAsync(c.store.Snapshot())
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
