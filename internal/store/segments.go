package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"makechain/internal/merkle"
)

const (
	// pageUnit is the alignment of pages in a segment.
	pageUnit = 64
	// segmentBits is the number of bits of a page number that hold the position in its segment, in units of pageUnit.
	segmentBits = 20
	// segmentBytes is the maximum size of a segment.
	segmentBytes = pageUnit << segmentBits
	// maxSegments is the number of segments: as many as page numbers below merkle.MaxPage can address.
	maxSegments = merkle.MaxPage >> segmentBits
	// segmentBuffer is the number of bytes of appended pages that are written at once.
	segmentBuffer = 4 << 20
	// segmentSync is the number of bytes after which the system starts to write a file to disk, so that the fsync of a
	// checkpoint has little left to write.
	segmentSync = 1 << 20
	// smallSegment is the fraction of segmentBytes below which the pages of a complete segment are moved to another one.
	smallSegment = 8
)

// errSegments is returned when all segments are in use.
var errSegments = fmt.Errorf("all %d files of pages are in use", maxSegments)

// segments stores the pages of the state tree in files of up to segmentBytes, to which pages are appended. It implements
// merkle.PageStore. A file is deleted when none of its pages is in use and the last checkpoint does not refer to it.
// Files are never appended to after a restart.
type segments struct {
	fs    vfs.FS
	dir   string
	bytes int // maximum size of a segment

	table [maxSegments]atomic.Pointer[segment]

	appending sync.Mutex // guards the fields up to buffer
	current   *segment   // nil if the next page starts a segment
	next      int        // the number at which the search for an unused one starts
	buffer    []byte     // appended to current and not written

	// removing is held while files are synced, deleted or closed.
	removing sync.Mutex
}

// segment is one file.
type segment struct {
	file    vfs.File
	size    atomic.Int64 // bytes appended
	written atomic.Int64 // bytes that can be read
	pages   atomic.Int64 // pages appended
	live    atomic.Int64 // pages in use
	sealed  atomic.Bool  // no page will be appended
	synced  atomic.Bool  // all pages are on disk
	pinned  atomic.Bool  // the last checkpoint refers to the segment
}

// newSegments returns an empty page store in a directory, which is created with the first file. Files that are there are
// ignored until load.
func newSegments(fs vfs.FS, dir string, bytes int) *segments {
	return &segments{fs: fs, dir: dir, bytes: bytes}
}

func (s *segments) path(number int) string { return s.fs.PathJoin(s.dir, fmt.Sprintf("%06d", number)) }

// Append implements merkle.PageStore. It returns errSegments when there is no unused segment.
func (s *segments) Append(page []byte) (uint32, error) {
	s.appending.Lock()
	defer s.appending.Unlock()
	size := (len(page) + pageUnit - 1) / pageUnit * pageUnit
	if s.current != nil && int(s.current.size.Load())+size > s.bytes {
		if err := s.sealCurrent(); err != nil {
			return 0, err
		}
	}
	if s.current == nil {
		if err := s.create(); err != nil {
			return 0, err
		}
	}
	at := s.current.size.Load()
	s.buffer = append(s.buffer, page...)
	s.buffer = append(s.buffer, make([]byte, size-len(page))...)
	s.current.size.Add(int64(size))
	s.current.pages.Add(1)
	s.current.live.Add(1)
	number := uint32(s.next)<<segmentBits | uint32(at/pageUnit)
	if len(s.buffer) >= segmentBuffer {
		file := s.current
		if err := s.flush(); err != nil {
			file.live.Add(-1) // the caller does not get the number
			return 0, err
		}
	}
	return number, nil
}

// create starts a segment. s.appending must be held.
func (s *segments) create() error {
	for i := range maxSegments {
		number := (s.next + i) % maxSegments
		if s.table[number].Load() != nil {
			continue
		}
		if err := makeDir(s.fs, s.dir); err != nil {
			return err
		}
		file, err := s.fs.Create(s.path(number), vfs.WriteCategoryUnspecified)
		if err != nil {
			return fmt.Errorf("create a file of pages: %w", err)
		}
		s.current = &segment{file: vfs.NewSyncingFile(file, vfs.SyncingFileOptions{NoSyncOnClose: true, BytesPerSync: segmentSync})}
		s.table[number].Store(s.current)
		s.next = number
		return nil
	}
	return errSegments
}

// Flush implements merkle.PageStore.
func (s *segments) Flush() error {
	s.appending.Lock()
	defer s.appending.Unlock()
	return s.flush()
}

// flush writes the buffer. After an error the segment is not used any more. s.appending must be held.
func (s *segments) flush() error {
	if len(s.buffer) == 0 {
		return nil
	}
	_, err := s.current.file.Write(s.buffer)
	s.buffer = s.buffer[:0]
	if err != nil {
		s.current.sealed.Store(true)
		s.current = nil
		return fmt.Errorf("write pages: %w", err)
	}
	s.current.written.Store(s.current.size.Load())
	return nil
}

// seal ends the current segment.
func (s *segments) seal() error {
	s.appending.Lock()
	defer s.appending.Unlock()
	return s.sealCurrent()
}

// sealCurrent ends the current segment. s.appending must be held.
func (s *segments) sealCurrent() error {
	if s.current == nil {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.current.sealed.Store(true)
	s.current = nil
	return nil
}

// Read implements merkle.PageStore.
func (s *segments) Read(number uint32, buf []byte) ([]byte, error) {
	file, at := s.find(number)
	if file == nil {
		return nil, fmt.Errorf("read page %d: there is no segment %d", number, number>>segmentBits)
	}
	if left := file.written.Load() - at; left < int64(len(buf)) {
		buf = buf[:max(0, left)]
	}
	n, err := file.file.ReadAt(buf, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read page %d: %w", number, err)
	}
	return buf[:n], nil
}

// find returns the segment of a page, nil if there is none, and the position of the page in it.
func (s *segments) find(number uint32) (file *segment, at int64) {
	i := number >> segmentBits
	if i >= maxSegments {
		return nil, 0
	}
	return s.table[i].Load(), int64(number&(1<<segmentBits-1)) * pageUnit
}

// Free implements merkle.PageStore. Files are deleted by the next calls of sweep.
func (s *segments) Free(numbers []uint32) {
	for _, number := range numbers {
		if file, _ := s.find(number); file != nil {
			file.live.Add(-1)
		}
	}
}

// Sparse implements merkle.PageStore: fewer than half of the pages of a complete segment are in use, or it is small.
func (s *segments) Sparse(number uint32) bool {
	file, _ := s.find(number)
	if file == nil || !file.sealed.Load() {
		return false
	}
	live, pages := file.live.Load(), file.pages.Load()
	return 2*live < pages || file.size.Load()/pages*live < int64(s.bytes/smallSegment)
}

// sweep deletes one file without pages in use in the background, unless another goroutine is syncing or deleting files. It calls
// failed after an error. The system takes tens of milliseconds to delete a file, for which a block must not wait, and there are
// several to delete after a checkpoint.
func (s *segments) sweep(failed func(error)) {
	if !s.removing.TryLock() {
		return
	}
	number, file := s.unused()
	if file == nil {
		s.removing.Unlock()
		return
	}
	go func() { // close waits for it
		defer s.removing.Unlock()
		if err := errors.Join(file.file.Close(), s.fs.Remove(s.path(number))); err != nil {
			failed(fmt.Errorf("delete pages: %w", err))
		}
		s.table[number].Store(nil) // after the file is gone, because Append may create another one
	}()
}

// unused returns a segment without pages in use, nil if there is none.
func (s *segments) unused() (number int, file *segment) {
	for number := range s.table {
		file := s.table[number].Load()
		if file != nil && file.live.Load() <= 0 && !file.pinned.Load() && file.sealed.Load() {
			return number, file
		}
	}
	return 0, nil
}

// sync makes the pages of all complete segments durable. It may be called while another goroutine appends.
func (s *segments) sync() error {
	s.removing.Lock()
	defer s.removing.Unlock()
	for number := range s.table {
		file := s.table[number].Load()
		if file == nil || !file.sealed.Load() || file.synced.Load() {
			continue
		}
		if err := file.file.Sync(); err != nil {
			return fmt.Errorf("sync pages: %w", err)
		}
		file.synced.Store(true)
	}
	return syncDir(s.fs, s.dir)
}

// segmentRecord is what a checkpoint stores about a segment.
type segmentRecord struct {
	number, size, pages int64
}

// records returns the complete segments to which a version refers.
func (s *segments) records(version *merkle.Version) []segmentRecord {
	var used [maxSegments]bool
	version.VisitPages(func(number uint32) { used[number>>segmentBits] = true })
	var out []segmentRecord
	for number := range used {
		if file := s.table[number].Load(); used[number] && file != nil {
			out = append(out, segmentRecord{int64(number), file.size.Load(), file.pages.Load()})
		}
	}
	return out
}

// pin keeps the files of a checkpoint that has become durable until the next call.
func (s *segments) pin(records []segmentRecord) {
	var used [maxSegments]bool
	for _, r := range records {
		used[r.number] = true
	}
	for number := range s.table {
		if file := s.table[number].Load(); file != nil {
			file.pinned.Store(used[number])
		}
	}
}

// load opens the segments of a checkpoint.
func (s *segments) load(records []segmentRecord) error {
	for _, r := range records {
		if r.number < 0 || r.number >= maxSegments || r.pages < 1 || r.size < r.pages || s.table[r.number].Load() != nil {
			return fmt.Errorf("segment %d of %d bytes and %d pages is not valid", r.number, r.size, r.pages)
		}
		file, err := s.fs.Open(s.path(int(r.number)), vfs.RandomReadsOption)
		if err != nil {
			return fmt.Errorf("open segment %d: %w", r.number, err)
		}
		info, err := file.Stat()
		if err == nil && info.Size() < r.size {
			err = fmt.Errorf("segment %d has %d bytes, want %d", r.number, info.Size(), r.size)
		}
		if err != nil {
			return errors.Join(err, file.Close())
		}
		loaded := &segment{file: file}
		loaded.size.Store(r.size)
		loaded.written.Store(r.size)
		loaded.pages.Store(r.pages)
		loaded.sealed.Store(true)
		loaded.synced.Store(true)
		loaded.pinned.Store(true)
		s.table[r.number].Store(loaded)
	}
	return nil
}

// use counts the pages of a version that was loaded.
func (s *segments) use(version *merkle.Version) error {
	var missing error
	version.VisitPages(func(number uint32) {
		file, at := s.find(number)
		if file == nil || at >= file.size.Load() {
			missing = fmt.Errorf("page %d is not in a segment", number)
			return
		}
		file.live.Add(1)
	})
	return missing
}

// removeUnused deletes the files in the directory that are not open, which a crash has left there.
func (s *segments) removeUnused() error {
	names, err := s.fs.List(s.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list pages: %w", err)
	}
	for _, name := range names {
		number, err := strconv.Atoi(name)
		if err != nil || number < 0 || number < maxSegments && s.table[number].Load() != nil {
			continue
		}
		if err := s.fs.Remove(s.fs.PathJoin(s.dir, name)); err != nil {
			return fmt.Errorf("delete pages: %w", err)
		}
	}
	return nil
}

// close closes all files.
func (s *segments) close() error {
	s.removing.Lock()
	defer s.removing.Unlock()
	var errs []error
	for number := range s.table {
		if file := s.table[number].Swap(nil); file != nil {
			errs = append(errs, file.file.Close())
		}
	}
	s.appending.Lock()
	defer s.appending.Unlock()
	s.current, s.buffer = nil, nil
	return errors.Join(errs...)
}

// makeDir creates a directory durably if it does not exist.
func makeDir(fs vfs.FS, path string) error {
	if _, err := fs.Stat(path); err == nil {
		return nil
	}
	if err := fs.MkdirAll(path, 0o755); err != nil {
		return fmt.Errorf("create the directory of pages: %w", err)
	}
	return syncDir(fs, fs.PathDir(path))
}

// syncDir makes the creation, deletion and renaming of files in a directory durable.
func syncDir(fs vfs.FS, path string) error {
	dir, err := fs.OpenDir(path)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return nil
}
