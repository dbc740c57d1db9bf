package comet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	// partFileBytes is the size at which a block part file is complete. The next block starts another one.
	partFileBytes = 64 << 20
	// partFilePrefix is followed by the lowest height in the file, in partFileDigits digits.
	partFilePrefix = "parts-"
	partFileDigits = 20
)

// partFiles are append-only files with the parts of blocks. A file contains the parts of consecutive heights, and is removed
// when all of them are pruned.
type partFiles struct {
	directory string
	maxBytes  int64 // at which a file is complete

	mu     sync.Mutex
	first  []int64  // the lowest heights of the files, ascending; guarded by mu
	file   *os.File // the last file, nil before the first append; guarded by mu
	size   int64    // of file, where the next part is written; guarded by mu
	last   int64    // height of the last part in file; guarded by mu
	dirty  bool     // file has parts that are not durable; guarded by mu
	failed error    // of a sync, after which nothing is known to be durable; guarded by mu
	closed bool     // guarded by mu

	written atomic.Uint64 // bytes since the files were opened
}

// openPartFiles opens the files of a directory.
func openPartFiles(directory string, maxBytes int64) (*partFiles, error) {
	p := &partFiles{directory: directory, maxBytes: maxBytes}
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, fmt.Errorf("open block part files: %w", err)
	}
	for _, entry := range entries {
		digits, found := strings.CutPrefix(entry.Name(), partFilePrefix)
		if !found {
			continue
		}
		height, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || len(digits) != partFileDigits {
			return nil, fmt.Errorf("%s in %s is not a block part file", entry.Name(), directory)
		}
		p.first = append(p.first, height)
	}
	slices.Sort(p.first)
	return p, nil
}

func (p *partFiles) path(first int64) string {
	return filepath.Join(p.directory, fmt.Sprintf("%s%0*d", partFilePrefix, partFileDigits, first))
}

// partPosition is where a part is stored.
type partPosition struct {
	file     int64 // its lowest height
	offset   int64
	length   uint32
	checksum uint32
}

// A position in the database begins with a byte with which no encoded part begins: there is no field 0 in protobuf.
const (
	partPositionMark = 0
	partPositionSize = 1 + 8 + 8 + 4 + 4
)

func (q partPosition) encode() []byte {
	b := append(make([]byte, 0, partPositionSize), partPositionMark)
	b = binary.BigEndian.AppendUint64(b, uint64(q.file))
	b = binary.BigEndian.AppendUint64(b, uint64(q.offset))
	b = binary.BigEndian.AppendUint32(b, q.length)
	return binary.BigEndian.AppendUint32(b, q.checksum)
}

// decodePartPosition returns false for the value of a part that is stored in the database, as older versions did.
func decodePartPosition(value []byte) (q partPosition, ok bool) {
	if len(value) != partPositionSize || value[0] != partPositionMark {
		return q, false
	}
	return partPosition{
		file: int64(binary.BigEndian.Uint64(value[1:])), offset: int64(binary.BigEndian.Uint64(value[9:])),
		length: binary.BigEndian.Uint32(value[17:]), checksum: binary.BigEndian.Uint32(value[21:]),
	}, true
}

func partChecksum(part []byte) uint32 { return crc32.Checksum(part, crc32.MakeTable(crc32.Castagnoli)) }

// append writes a part. It is durable after the next sync.
func (p *partFiles) append(height int64, part []byte) (partPosition, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.prepare(height); err != nil {
		return partPosition{}, fmt.Errorf("write a part of block %d: %w", height, err)
	}
	p.dirty = true
	if _, err := p.file.WriteAt(part, p.size); err != nil {
		return partPosition{}, fmt.Errorf("write a part of block %d: %w", height, err)
	}
	position := partPosition{
		file: p.first[len(p.first)-1], offset: p.size, length: uint32(len(part)), checksum: partChecksum(part),
	}
	p.size += int64(len(part))
	p.written.Add(uint64(len(part)))
	p.last = height
	return position, nil
}

// prepare opens the file to which a part is appended. p.mu must be held.
func (p *partFiles) prepare(height int64) error {
	if p.closed {
		return fs.ErrClosed
	}
	if p.file == nil && len(p.first) > 0 {
		file, err := os.OpenFile(p.path(p.first[len(p.first)-1]), os.O_RDWR, secretMode)
		if err != nil {
			return err
		}
		info, err := file.Stat()
		if err != nil {
			return errors.Join(err, file.Close())
		}
		p.file, p.size = file, info.Size()
	}
	// Files are in the order of heights: a block that is stored again, after a crash, does not start one.
	if p.file != nil && (p.size < p.maxBytes || height == p.last || height <= p.first[len(p.first)-1]) {
		return nil
	}
	return p.create(height)
}

// create completes the last file and creates the next one. p.mu must be held.
func (p *partFiles) create(height int64) error {
	if err := p.syncLocked(); err != nil {
		return err
	}
	file, err := os.OpenFile(p.path(height), os.O_RDWR|os.O_CREATE|os.O_TRUNC, secretMode)
	if err != nil {
		return err
	}
	if err := syncDirectory(p.directory); err != nil {
		return errors.Join(err, file.Close())
	}
	if p.file != nil {
		err = p.file.Close()
	}
	p.file, p.size, p.first = file, 0, append(p.first, height)
	return err
}

// sync makes all parts durable. After an error every later call returns it.
func (p *partFiles) sync() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.syncLocked()
}

func (p *partFiles) syncLocked() error {
	if p.failed == nil && p.dirty {
		if err := p.file.Sync(); err != nil {
			p.failed = fmt.Errorf("sync block part files: %w", err)
		}
		p.dirty = false
	}
	return p.failed
}

// read returns a part. The error is fs.ErrNotExist when its file was removed.
func (p *partFiles) read(at partPosition) ([]byte, error) {
	file, err := os.Open(p.path(at.file))
	if err != nil {
		return nil, fmt.Errorf("read a block part: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read a block part: %w", err)
	}
	if at.offset < 0 || at.offset+int64(at.length) > info.Size() {
		return nil, fmt.Errorf("read a block part: %s has %d bytes, the part is at %d", file.Name(), info.Size(), at.offset)
	}
	part := make([]byte, at.length)
	if _, err := file.ReadAt(part, at.offset); err != nil {
		return nil, fmt.Errorf("read a block part: %w", err)
	}
	if partChecksum(part) != at.checksum {
		return nil, fmt.Errorf("read a block part: checksum mismatch in %s at %d", file.Name(), at.offset)
	}
	return part, nil
}

// removeBelow removes the files whose heights are all below a height. The last file is kept.
func (p *partFiles) removeBelow(height int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.first) > 1 && p.first[1] <= height {
		if err := os.Remove(p.path(p.first[0])); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove pruned block parts: %w", err)
		}
		p.first = p.first[1:]
	}
	return nil
}

// close makes all parts durable. Later appends fail; parts can still be read.
func (p *partFiles) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	err := p.syncLocked()
	if p.file != nil {
		err = errors.Join(err, p.file.Close())
	}
	return err
}

// syncDirectory makes the entries of a directory durable.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
