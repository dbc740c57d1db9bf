package snapshot

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// archiveMark is how an archive begins. Its last digit changes with the layout of the file.
const archiveMark = "makechain snapshot 1\n"

// What an archive consists of, in this order. A part is its kind, the length of its content in four big-endian bytes,
// and the content.
const (
	partGenesis  byte = iota + 1 // one
	partLight                    // as many as the writer has
	partManifest                 // one
	partChunk                    // as many as the manifest names
	partEnd                      // one, empty: a file without it was cut off
)

// Bounds of the parts, which a reader checks before it takes memory for them.
const (
	maxGenesisSize = 16 << 20
	maxLightSize   = 256 << 10
	maxLightBlocks = 16
	// maxManifestSize is enough for a state of more than a terabyte.
	maxManifestSize = 64 << 20
	// maxPackedChunk leaves room for what compression adds to rows that it cannot make smaller.
	maxPackedChunk = maxChunkSize + maxChunkSize/16
)

// ErrArchive says that a file is not a whole archive of a snapshot.
var ErrArchive = errors.New("not a whole snapshot file")

// Archive is what a file says of the snapshot in it.
type Archive struct {
	Genesis     []byte   // the genesis file of the chain
	LightBlocks [][]byte // headers that lead from the validators' signatures to the root
	Manifest    []byte
}

// Write writes a snapshot to a single file. The chunks are those that the manifest names.
func (a *Archive) Write(to io.Writer, chunk func(index uint32) ([]byte, error)) error {
	manifest, err := ParseManifest(a.Manifest)
	if err != nil {
		return err
	}
	w := &archiveWriter{to: bufio.NewWriter(to)}
	_, w.err = w.to.WriteString(archiveMark)
	w.part(partGenesis, a.Genesis)
	for _, light := range a.LightBlocks {
		w.part(partLight, light)
	}
	w.part(partManifest, a.Manifest)
	for i := range manifest.Chunks {
		content, err := chunk(uint32(i))
		if err != nil {
			return err
		}
		w.part(partChunk, content)
	}
	w.part(partEnd, nil)
	return errors.Join(w.err, w.to.Flush())
}

// archiveWriter writes parts until the first error.
type archiveWriter struct {
	to  *bufio.Writer
	err error
}

func (w *archiveWriter) part(kind byte, content []byte) {
	if w.err != nil {
		return
	}
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(content)))
	_, errHead := w.to.Write(head)
	_, errContent := w.to.Write(content)
	w.err = errors.Join(errHead, errContent)
}

// ArchiveReader reads an archive from its beginning to its end.
type ArchiveReader struct {
	Archive

	from   *bufio.Reader
	chunks int // that are still to come
}

// ReadArchive reads all of an archive but its chunks.
func ReadArchive(from io.Reader) (*ArchiveReader, error) {
	r := &ArchiveReader{from: bufio.NewReader(from)}
	mark := make([]byte, len(archiveMark))
	if _, err := io.ReadFull(r.from, mark); err != nil || string(mark) != archiveMark {
		return nil, fmt.Errorf("%w: it does not begin like one", ErrArchive)
	}
	for r.Manifest == nil {
		kind, content, err := r.part()
		if err != nil {
			return nil, err
		}
		switch {
		case kind == partGenesis && r.Genesis == nil:
			r.Genesis = content
		case kind == partLight && r.Genesis != nil && len(r.LightBlocks) < maxLightBlocks:
			r.LightBlocks = append(r.LightBlocks, content)
		case kind == partManifest && r.Genesis != nil:
			r.Manifest = content
		default:
			return nil, fmt.Errorf("%w: a part of kind %d is out of place", ErrArchive, kind)
		}
	}
	manifest, err := ParseManifest(r.Manifest)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	r.chunks = len(manifest.Chunks)
	return r, nil
}

// Next gives the next chunk, and io.EOF after the last, when the file ends there as it should. Whether a chunk is the
// one of the manifest is not looked at.
func (r *ArchiveReader) Next() ([]byte, error) {
	kind, content, err := r.part()
	switch {
	case err != nil:
		return nil, err
	case kind == partChunk && r.chunks > 0:
		r.chunks--
		return content, nil
	case kind != partEnd || r.chunks > 0:
		return nil, fmt.Errorf("%w: a part of kind %d is out of place, with %d chunks to come", ErrArchive, kind, r.chunks)
	}
	if _, err := r.from.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows its end", ErrArchive)
	}
	return nil, io.EOF
}

// part reads a part within its bounds.
func (r *ArchiveReader) part() (kind byte, content []byte, err error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(r.from, head); err != nil {
		return 0, nil, cutOff(err)
	}
	kind, size := head[0], binary.BigEndian.Uint32(head[1:])
	most, known := partBound(kind)
	if !known || size > most {
		return 0, nil, fmt.Errorf("%w: a part of kind %d with %d bytes", ErrArchive, kind, size)
	}
	content = make([]byte, size)
	if _, err := io.ReadFull(r.from, content); err != nil {
		return 0, nil, cutOff(err)
	}
	return kind, content, nil
}

func partBound(kind byte) (most uint32, known bool) {
	switch kind {
	case partGenesis:
		return maxGenesisSize, true
	case partLight:
		return maxLightSize, true
	case partManifest:
		return maxManifestSize, true
	case partChunk:
		return maxPackedChunk, true
	case partEnd:
		return 0, true
	default:
		return 0, false
	}
}

// cutOff tells a file that ends too early from one that cannot be read.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends too early", ErrArchive)
	}
	return fmt.Errorf("read a snapshot file: %w", err)
}
