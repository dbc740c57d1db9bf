package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"makechain/internal/merkle"
)

// testPages appends pages and has those that are in use.
type testPages struct {
	*segments

	rng  *rand.Rand
	live map[uint32][]byte
}

func newTestPages(fs vfs.FS, bytes int) *testPages {
	return &testPages{newSegments(fs, "pages", bytes), rand.New(rand.NewPCG(1, 1)), map[uint32][]byte{}}
}

func (p *testPages) append(t testing.TB, count int) []uint32 {
	t.Helper()
	var numbers []uint32
	for range count {
		page := make([]byte, 1+p.rng.IntN(merkle.MaxPageSize))
		for i := range page {
			page[i] = byte(p.rng.Uint32())
		}
		number, err := p.Append(page)
		if err != nil {
			t.Fatal(err)
		}
		if p.live[number] != nil || number >= merkle.MaxPage {
			t.Fatalf("page number %d is in use or too large", number)
		}
		p.live[number] = page
		numbers = append(numbers, number)
	}
	if err := p.Flush(); err != nil {
		t.Fatal(err)
	}
	return numbers
}

func (p *testPages) free(numbers ...uint32) {
	p.Free(numbers)
	for _, number := range numbers {
		delete(p.live, number)
	}
}

// check reads all pages in use.
func (p *testPages) check(t testing.TB) {
	t.Helper()
	for number, page := range p.live {
		got, err := p.Read(number, make([]byte, merkle.MaxPageSize))
		if err != nil || !bytes.HasPrefix(got, page) {
			t.Fatalf("page %d is %x, %v; want %x", number, got, err, page)
		}
	}
}

// sweepAll deletes all files without pages in use, one after another.
func (p *testPages) sweepAll(t testing.TB) {
	t.Helper()
	for files, before := p.files(t), -1; files != before; {
		before = files
		p.sweep(func(err error) { t.Error(err) })
		p.removing.Lock() // when the file is deleted
		files = p.files(t)
		p.removing.Unlock()
	}
}

func (p *testPages) files(t testing.TB) int {
	t.Helper()
	names, err := p.fs.List("pages")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// TestSegments appends, reads and frees pages, and checks that files without pages in use are deleted and their numbers are
// used again.
//
// Rules: T2/memory.
func TestSegments(t *testing.T) {
	t.Parallel()
	p := newTestPages(vfs.NewMem(), 16<<10)
	var numbers []uint32
	for round := range 200 {
		numbers = append(numbers, p.append(t, 20)...)
		p.check(t)
		if round%3 == 0 { // all but a few
			kept := p.rng.IntN(10)
			p.free(numbers[:len(numbers)-kept]...)
			numbers = numbers[len(numbers)-kept:]
			p.sweepAll(t)
			if files := p.files(t); files > 4 {
				t.Fatalf("%d files for %d pages", files, kept)
			}
		}
	}
	closeStore(t, closer(p.close))
}

type closer func() error

func (c closer) Close() error { return c() }

// TestSweepSlowly checks that pages can be appended and read while a file is being deleted, that one file is deleted at a time, that
// errors are reported, and that close waits.
func TestSweepSlowly(t *testing.T) {
	t.Parallel()
	failure, deleting, finish := errors.New("busy"), make(chan struct{}), make(chan struct{})
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind != errorfs.OpRemove {
			return nil
		}
		deleting <- struct{}{}
		<-finish
		return failure
	})
	p := newTestPages(errorfs.Wrap(vfs.NewMem(), inject), 16<<10)
	p.free(p.append(t, 100)...)
	if err := p.seal(); err != nil {
		t.Fatal(err)
	}
	reported := make(chan error, 1)
	report := func(err error) { reported <- err }
	p.sweep(report)
	<-deleting
	p.append(t, 100)
	p.check(t)
	p.sweep(report) // does nothing
	closed := make(chan error)
	go func() { closed <- p.close() }()
	select {
	case err := <-closed:
		t.Fatalf("closed while a file was being deleted: %v", err)
	case <-deleting:
		t.Fatal("two files were deleted at the same time")
	case <-time.After(50 * time.Millisecond):
	}
	close(finish)
	if err := <-reported; !errors.Is(err, failure) {
		t.Errorf("error %v, want %v", err, failure)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestSparseSegments checks which pages have to be moved so that their file can be deleted.
func TestSparseSegments(t *testing.T) {
	t.Parallel()
	const size = 64 << 10
	p := newTestPages(vfs.NewMem(), size)
	numbers := p.append(t, 1)
	first := p.table[0].Load()
	for first.sealed.Load() == false {
		numbers = append(numbers, p.append(t, 1)...)
	}
	numbers = numbers[:len(numbers)-1] // the last one is in the next file
	half := len(numbers) / 2
	for i, number := range numbers {
		if got, want := p.Sparse(numbers[len(numbers)-1]), i > len(numbers)-half; got != want {
			t.Fatalf("with %d of %d pages: sparse is %v", len(numbers)-i, len(numbers), got)
		}
		p.free(number)
	}
	small := p.append(t, 1)[0]
	if p.Sparse(small) {
		t.Error("a file that is not complete is sparse")
	}
	if err := p.seal(); err != nil {
		t.Fatal(err)
	}
	if !p.Sparse(small) {
		t.Error("a small file is not sparse")
	}
	closeStore(t, closer(p.close))
}

// TestPinnedSegments checks that files of the last checkpoint are kept, that a store that is opened again finds their pages
// and deletes the other files, and that it does not append to them.
func TestPinnedSegments(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	p := newTestPages(fs, 16<<10)
	numbers := p.append(t, 100)
	if err := errors.Join(p.seal(), p.sync()); err != nil {
		t.Fatal(err)
	}
	var records []segmentRecord
	for number := range p.table {
		if file := p.table[number].Load(); file != nil {
			records = append(records, segmentRecord{int64(number), file.size.Load(), file.pages.Load()})
		}
	}
	p.pin(records)
	p.append(t, 100)
	p.Free(numbers)
	p.sweepAll(t)
	p.check(t)
	closeStore(t, closer(p.close))

	opened := newTestPages(fs, 16<<10)
	if err := errors.Join(opened.load(records), opened.removeUnused()); err != nil {
		t.Fatal(err)
	}
	if files := opened.files(t); files != len(records) {
		t.Errorf("%d files, want %d", files, len(records))
	}
	for _, number := range numbers {
		opened.live[number] = p.live[number]
	}
	opened.check(t)
	opened.append(t, 100)
	opened.check(t)
	opened.pin(nil)
	opened.sweepAll(t)
	for number := range numbers {
		delete(opened.live, uint32(number))
	}
	closeStore(t, closer(opened.close))
}

// TestSegmentsFull checks the error when all segments are in use, and that pages can be appended after some were freed.
func TestSegmentsFull(t *testing.T) {
	t.Parallel()
	p := newTestPages(vfs.NewMem(), pageUnit)
	page := []byte{1}
	numbers := make([]uint32, maxSegments)
	for i := range numbers {
		var err error
		if numbers[i], err = p.Append(page); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Append(page); !errors.Is(err, errSegments) {
		t.Fatalf("error %v, want %v", err, errSegments)
	}
	p.Free(numbers[7:8])
	p.sweepAll(t)
	number, err := p.Append(page)
	if err != nil || number != numbers[7] {
		t.Errorf("page %d, %v, want %d", number, err, numbers[7])
	}
	closeStore(t, closer(p.close))
}

// TestSegmentsFail checks that pages can be appended and read after a write failed.
func TestSegmentsFail(t *testing.T) {
	t.Parallel()
	failure, failing := errors.New("no space"), false
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if failing && op.Kind == errorfs.OpFileWrite {
			return failure
		}
		return nil
	})
	p := newTestPages(errorfs.Wrap(vfs.NewMem(), inject), segmentBytes)
	p.append(t, 10)
	failing = true
	var lost []uint32
	for range 10 {
		number, err := p.Append([]byte("lost"))
		if err != nil {
			t.Fatal(err)
		}
		lost = append(lost, number)
	}
	if err := p.Flush(); !errors.Is(err, failure) {
		t.Fatalf("error %v, want %v", err, failure)
	}
	failing = false
	for _, number := range lost {
		if got, err := p.Read(number, make([]byte, merkle.MaxPageSize)); err != nil || bytes.HasPrefix(got, []byte("lost")) {
			t.Errorf("page %d is %q, %v", number, got, err)
		}
	}
	p.Free(lost)
	p.append(t, 10)
	p.check(t)
	closeStore(t, closer(p.close))
}

// TestMissingSegments checks that a checkpoint is refused if a file is missing or too short, and that pages without a file
// are reported.
func TestMissingSegments(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	p := newTestPages(fs, 16<<10)
	numbers := p.append(t, 1)
	size := p.table[0].Load().size.Load()
	closeStore(t, closer(p.close))
	if _, err := p.Read(numbers[0], make([]byte, merkle.MaxPageSize)); err == nil {
		t.Error("no error for a page without a file")
	}
	for _, r := range []segmentRecord{{0, size + 1, 1}, {1, size, 1}, {-1, size, 1}, {maxSegments, size, 1}, {0, size, 0}} {
		if err := newSegments(fs, "pages", 16<<10).load([]segmentRecord{r}); err == nil {
			t.Errorf("no error for segment %v", r)
		}
	}
}
