package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"makechain/internal/index"
	"makechain/internal/schema"
	"makechain/internal/statesync"
	"makechain/internal/store"
)

// large returns a snapshot with several chunks.
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

// TestChunkOrder checks that chunks are refused out of order, repeated, and before and after a restoration.
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
	if err := r.Begin(p.Offer(), p.Root); err != nil {
		t.Fatal(err)
	}
	last := len(p.chunks) - 1
	for i, chunk := range p.chunks {
		if i != last {
			refused("one skipped", i+1)
		}
		refused("one too many", last+1)
		done, err := r.Apply(uint32(i), chunk)
		if err != nil || done != (i == last) {
			t.Fatalf("chunk %d: %t, %v", i, done, err)
		}
		refused("repeated", i)
	}
	latest := s.Snapshot()
	if latest.Root() != p.Root || latest.Height() != p.Height {
		t.Errorf("height %d and root %x, want %d and %x", latest.Height(), latest.Root(), p.Height, p.Root)
	}
	if err := latest.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Begin(p.Offer(), p.Root); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("a second restoration: error %v, want %v", err, store.ErrNotEmpty)
	}
}

// TestInterruptedRestore interrupts a restoration in different ways and checks that it can be repeated.
//
// Rules: T2/crash.
func TestInterruptedRestore(t *testing.T) {
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
		if err := r.Begin(p.Offer(), p.Root); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if _, err := r.Apply(uint32(i), p.chunks[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, r := open()
	begin(r) // and close the store
	closeStore(t, s)

	s, r = open()
	begin(r)
	begin(r) // aborts the first one
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)

	s, r = open()
	checkEmpty(t, s, r, p)
	closeStore(t, s)
}

// failing is a target whose writes fail.
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

func (f failing) Finish(uint64, Hash, func(index.View, func(schema.Change) error) error) error {
	return errors.Join(f.finish, f.Target.Abort())
}

func (f failing) Abort() error {
	*f.aborted = true
	return f.Target.Abort()
}

// TestTargetErrors checks that an error of the target is not reported as an error of the snapshot.
func TestTargetErrors(t *testing.T) {
	t.Parallel()
	p := sample(t)
	s := newStore(t, 1)
	failure := errors.New("disk full")
	for _, with := range []failing{{add: failure}, {finish: failure}} {
		with.aborted = new(bool)
		r := NewRestorer(func() (Target, error) {
			target, err := s.Restore()
			with.Target = target
			return with, err
		})
		err := p.restore(r, p.Root)
		if !errors.Is(err, failure) || errors.Is(err, statesync.ErrRows) || errors.Is(err, statesync.ErrRoot) {
			t.Errorf("error %v, want %v alone", err, failure)
		}
		if with.add != nil && !*with.aborted {
			t.Error("the restoration was not aborted")
		}
	}
	r := NewRestorer(func() (Target, error) { return nil, failure })
	if err := p.restore(r, p.Root); !errors.Is(err, failure) {
		t.Errorf("error %v, want %v", err, failure)
	}
	checkEmpty(t, s, restorerOf(s), p)
}

// write writes a file in a snapshot directory.
func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), dirPermission), os.WriteFile(path, content, permission)); err != nil {
		t.Fatal(err)
	}
}
