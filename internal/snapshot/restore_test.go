package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"makechain/internal/schema"
	"makechain/internal/store"
)

// large is a snapshot of several chunks.
func large(t *testing.T) parts {
	t.Helper()
	s := newStore(t, 1)
	rows := manyRows(2)
	fill(t, s, rows, len(rows))
	d := openDir(t, t.TempDir(), 1)
	p := load(t, d, take(t, d, s))
	if len(p.chunks) < 3 {
		t.Fatalf("only %d chunks", len(p.chunks))
	}
	return p
}

// TestChunkOrder gives chunks in the wrong order, again, and before and after a restoration.
func TestChunkOrder(t *testing.T) {
	t.Parallel()
	p := large(t)
	s := newStore(t, 1)
	r := restorerOf(s)
	refused := func(what string, i int) {
		t.Helper()
		if done, err := r.Apply(uint32(i), p.chunks[min(i, len(p.chunks)-1)]); done || !errors.Is(err, ErrOrder) {
			t.Errorf("%s: %t, error %v, want %v", what, done, err, ErrOrder)
		}
	}
	refused("before an offer", 0)
	if err := r.Begin(p.offer(), p.Root); err != nil {
		t.Fatal(err)
	}
	last := len(p.chunks) - 1
	for i, chunk := range p.chunks {
		if i != last {
			refused("one left out", i+1)
		}
		refused("one too many", last+1)
		done, err := r.Apply(uint32(i), chunk)
		if err != nil || done != (i == last) {
			t.Fatalf("chunk %d: %t, %v", i, done, err)
		}
		refused("the same again", i)
	}
	latest := s.Snapshot()
	if latest.Root() != p.Root || latest.Height() != p.Height {
		t.Errorf("height %d with root %x, want %d with %x", latest.Height(), latest.Root(), p.Height, p.Root)
	}
	if err := latest.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Begin(p.offer(), p.Root); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("a second state: error %v, want %v", err, store.ErrNotEmpty)
	}
}

// TestRestart ends a restoration in the middle in each way there is, and begins anew.
//
// Rules: T2/crash.
func TestRestart(t *testing.T) {
	t.Parallel()
	p := large(t)
	dir := t.TempDir()
	open := func() (*store.Store, *Restorer) {
		s, err := store.Open(dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s, restorerOf(s)
	}
	begin := func(r *Restorer) {
		t.Helper()
		if err := r.Begin(p.offer(), p.Root); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if _, err := r.Apply(uint32(i), p.chunks[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, r := open()
	begin(r) // and stop without a word
	closeStore(t, s)

	s, r = open()
	begin(r)
	begin(r) // an offer drops what was begun
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)

	s, r = open()
	checkEmpty(t, s, r, p)
	closeStore(t, s)
}

// failing is a state that cannot be written.
type failing struct {
	Target
	add, finish error
	aborted     *bool
}

func (f failing) Add(row schema.Change) error {
	if f.add != nil {
		return f.add
	}
	return f.Target.Add(row)
}

func (f failing) Finish(uint64, Hash, uint64) error {
	return errors.Join(f.finish, f.Target.Abort())
}

func (f failing) Abort() error {
	*f.aborted = true
	return f.Target.Abort()
}

// TestWritesFail makes sure that a failure to write is not blamed on the snapshot.
func TestWritesFail(t *testing.T) {
	t.Parallel()
	p := story(t)
	s := newStore(t, 1)
	failure := errors.New("disk full")
	for _, with := range []failing{{add: failure}, {finish: failure}} {
		with.aborted = new(bool)
		r := NewRestorer(func() (Target, error) {
			target, err := s.Restore()
			with.Target = restoration{target}
			return with, err
		})
		err := p.restore(r, p.Root)
		if !errors.Is(err, failure) || errors.Is(err, ErrRows) || errors.Is(err, ErrRoot) {
			t.Errorf("error %v, want %v alone", err, failure)
		}
		if with.add != nil && !*with.aborted {
			t.Error("the restoration goes on")
		}
	}
	r := NewRestorer(func() (Target, error) { return nil, failure })
	if err := p.restore(r, p.Root); !errors.Is(err, failure) {
		t.Errorf("error %v, want %v", err, failure)
	}
	checkEmpty(t, s, restorerOf(s), p)
}

// write puts a file into a directory of snapshots.
func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), dirPermission), os.WriteFile(path, content, permission)); err != nil {
		t.Fatal(err)
	}
}
