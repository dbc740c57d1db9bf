package gitcache

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/klauspost/compress/zlib"

	"makechain/internal/gitbundle"
)

// Types of the entries of a pack.
const (
	entryCommit   = 1
	entryTag      = 4
	entryOffset   = 6 // a delta; its base is at an earlier offset of the pack
	entryRef      = 7 // a delta; its base has an id
	maxEntryBytes = 1 << 40
)

// pack is what a pass over a pack finds without resolving deltas.
type pack struct {
	offsets  []int64          // of each entry, ascending
	bases    []int32          // the entry of each entry's base, -1 for none, or -2 for one with an id
	refs     map[int32]string // ids of the bases of entries with -2, in lower-case digits
	inflated int64            // size of all objects: that of a delta is the size of its result
	format   gitbundle.Format
}

const (
	baseNone = -1
	baseID   = -2
)

// packScanner reads a pack once, so that git never sees one that inflates beyond the limits: git index-pack allocates what
// an entry claims.
type packScanner struct {
	pack

	limits   Limits
	budget   int64 // what all objects may inflate to
	reader   *countingReader
	inflater io.ReadCloser
}

// countingReader counts the bytes that were read. It implements io.ByteReader, so the inflater reads no further than the
// end of a stream.
type countingReader struct {
	*bufio.Reader

	read    int64
	failure error // other than the end of the file
}

func (r *countingReader) ReadByte() (byte, error) {
	b, err := r.Reader.ReadByte()
	if err == nil {
		r.read++
	} else if !errors.Is(err, io.EOF) {
		r.failure = err
	}
	return b, err
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		r.failure = err
	}
	return n, err
}

func malformed(format string, args ...any) error {
	return &gitbundle.Error{Reason: "the pack is malformed: " + fmt.Sprintf(format, args...)}
}

func exceeds(format string, args ...any) error {
	return &gitbundle.Error{Reason: fmt.Sprintf(format, args...), Cause: gitbundle.ErrLimit}
}

// scanPack reads the pack of a bundle, which has the given size, to its end.
func scanPack(r io.Reader, size int64, format gitbundle.Format, limits Limits) (*pack, error) {
	s := &packScanner{
		pack:   pack{format: format, refs: map[int32]string{}},
		limits: limits, reader: &countingReader{Reader: bufio.NewReaderSize(r, 64<<10)},
		budget: min(limits.InflateBytes, max(inflateAllowance, size*limits.InflateRatio)),
	}
	var header [12]byte
	if _, err := io.ReadFull(s.reader, header[:]); err != nil {
		return nil, s.failed(err)
	}
	if string(header[:4]) != "PACK" {
		return nil, malformed("it does not begin with PACK")
	}
	if version := binary.BigEndian.Uint32(header[4:]); version != 2 {
		return nil, malformed("version %d, want 2", version)
	}
	count := int64(binary.BigEndian.Uint32(header[8:]))
	if count > limits.Objects {
		return nil, exceeds("%d objects in the bundle; at most %d are accepted", count, limits.Objects)
	}
	for range count {
		if err := s.entry(); err != nil {
			return nil, err
		}
	}
	trailer := int64(format.Digits() / 2)
	if rest := size - s.reader.read; rest != trailer {
		return nil, malformed("%d bytes after the last object, want %d", rest, trailer)
	}
	return &s.pack, nil
}

// failed returns the error for a failed read: that of the file, or about the pack.
func (s *packScanner) failed(err error) error {
	switch {
	case s.reader.failure != nil:
		return s.reader.failure
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return malformed("it is truncated in object %d, after %d bytes", len(s.offsets), s.reader.read)
	default:
		return malformed("object %d: %v", len(s.offsets), err)
	}
}

func (s *packScanner) entry() error {
	number, offset := int32(len(s.offsets)), s.reader.read
	kind, size, err := s.entryHeader()
	if err != nil {
		return err
	}
	base := int32(baseNone)
	switch {
	case kind >= entryCommit && kind <= entryTag:
	case kind == entryOffset:
		base, err = s.baseOffset(offset)
	case kind == entryRef:
		base = baseID
		s.refs[number], err = s.baseID()
	default:
		err = malformed("object %d has type %d", number, kind)
	}
	if err != nil {
		return err
	}
	if size > s.limits.ObjectBytes {
		return exceeds("an object of the bundle has %d bytes; at most %d are accepted", size, s.limits.ObjectBytes)
	}
	s.offsets, s.bases = append(s.offsets, offset), append(s.bases, base)
	if base == baseNone {
		if err := s.add(size); err != nil {
			return err
		}
	}
	return s.inflate(size, base != baseNone)
}

// entryHeader reads the type and the size of an entry.
func (s *packScanner) entryHeader() (kind int, size int64, err error) {
	b, err := s.reader.ReadByte()
	if err != nil {
		return 0, 0, s.failed(err)
	}
	kind, size = int(b>>4&7), int64(b&15)
	for shift := 4; b&0x80 != 0; shift += 7 {
		if b, err = s.reader.ReadByte(); err != nil {
			return 0, 0, s.failed(err)
		}
		if shift > 53 {
			return 0, 0, exceeds("an object of the bundle claims more than %d bytes", int64(maxEntryBytes))
		}
		size |= int64(b&0x7f) << shift
	}
	return kind, size, nil
}

// baseOffset reads the distance to the base of a delta and returns the number of the entry there.
func (s *packScanner) baseOffset(offset int64) (int32, error) {
	b, err := s.reader.ReadByte()
	if err != nil {
		return 0, s.failed(err)
	}
	distance := int64(b & 0x7f)
	for b&0x80 != 0 {
		if b, err = s.reader.ReadByte(); err != nil {
			return 0, s.failed(err)
		}
		if distance > maxEntryBytes {
			return 0, malformed("a delta at %d has no base", offset)
		}
		distance = (distance+1)<<7 | int64(b&0x7f)
	}
	found := sort.Search(len(s.offsets), func(i int) bool { return s.offsets[i] >= offset-distance })
	if found == len(s.offsets) || s.offsets[found] != offset-distance {
		return 0, malformed("a delta at %d has no base at %d", offset, offset-distance)
	}
	return int32(found), nil
}

func (s *packScanner) baseID() (string, error) {
	id := make([]byte, s.format.Digits()/2)
	if _, err := io.ReadFull(s.reader, id); err != nil {
		return "", s.failed(err)
	}
	return hex.EncodeToString(id), nil
}

// add counts the size of an object.
func (s *packScanner) add(size int64) error {
	if s.inflated += size; s.inflated > s.budget {
		return exceeds("the objects of the bundle inflate to more than %d bytes", s.budget)
	}
	return nil
}

// inflate reads the data of an entry, which must have the size that its header has. That of a delta begins with the sizes
// of its base and of its result.
func (s *packScanner) inflate(size int64, isDelta bool) error {
	if s.inflater == nil {
		inflater, err := zlib.NewReader(s.reader)
		if err != nil {
			return s.failed(err)
		}
		s.inflater = inflater
	} else if err := s.inflater.(zlib.Resetter).Reset(s.reader, nil); err != nil { //nolint:forcetypeassert // documented by zlib
		return s.failed(err)
	}
	var begin [20]byte
	read := 0
	if isDelta {
		n, err := io.ReadFull(s.inflater, begin[:min(size, int64(len(begin)))])
		if err != nil {
			return s.failed(err)
		}
		read = n
		result, err := deltaResult(begin[:n])
		if err != nil {
			return err
		}
		if result > s.limits.ObjectBytes {
			return exceeds("an object of the bundle has %d bytes; at most %d are accepted", result, s.limits.ObjectBytes)
		}
		if err := s.add(result); err != nil {
			return err
		}
	}
	rest, err := io.Copy(io.Discard, io.LimitReader(s.inflater, size-int64(read)+1))
	if err != nil {
		return s.failed(err)
	}
	if int64(read)+rest != size {
		return malformed("object %d does not have the %d bytes that it claims", len(s.offsets)-1, size)
	}
	return nil
}

// deltaResult returns the size of the result of a delta, the second number at its beginning.
func deltaResult(delta []byte) (int64, error) {
	_, n := binary.Uvarint(delta)
	if n <= 0 {
		return 0, malformed("a delta without sizes")
	}
	result, n := binary.Uvarint(delta[n:])
	if n <= 0 || result > maxEntryBytes {
		return 0, malformed("a delta without sizes")
	}
	return int64(result), nil
}
