package snapshot

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// archiveMagic is the first line of an archive. Its number changes with the layout of the file.
const archiveMagic = "makechain snapshot 1\n"

// Kinds of the parts of an archive, in their order. A part is encoded as its kind, the length of its content in four
// big-endian bytes, and the content.
const (
	partGenesis  byte = iota + 1 // one
	partLight                    // up to maxLightBlocks
	partManifest                 // one
	partChunk                    // one for each chunk in the manifest
	partEnd                      // one, empty; a file without it is truncated
)

// Maximum sizes of the parts, which a reader checks before it allocates memory.
const (
	maxGenesisSize = 16 << 20
	maxLightSize   = 256 << 10
	maxLightBlocks = 16
	// maxManifestSize is enough for a state of more than a terabyte.
	maxManifestSize = 64 << 20
	// maxPackedChunk allows for the overhead of compression on incompressible rows.
	maxPackedChunk = maxChunkSize + maxChunkSize/16
)

// ErrArchive is returned for a file that is not a complete archive of a snapshot.
var ErrArchive = errors.New("not a complete snapshot file")

// Archive is the content of a snapshot file without the chunks.
type Archive struct {
	Genesis     []byte   // the genesis file of the chain
	LightBlocks [][]byte // prove that the validators signed the root
	Manifest    []byte
}

// Write writes a snapshot as a single file. It calls chunk for each chunk in the manifest.
func (a *Archive) Write(to io.Writer, chunk func(index uint32) ([]byte, error)) error {
	manifest, err := ParseManifest(a.Manifest)
	if err != nil {
		return err
	}
	w := &archiveWriter{to: bufio.NewWriter(to)}
	_, w.err = w.to.WriteString(archiveMagic)
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

// archiveWriter writes parts and keeps the first error.
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

// ArchiveReader reads an archive sequentially.
type ArchiveReader struct {
	Archive

	from   *bufio.Reader
	chunks int // not read yet
}

// ReadArchive reads an archive up to its chunks, which Next returns.
func ReadArchive(from io.Reader) (*ArchiveReader, error) {
	r := &ArchiveReader{from: bufio.NewReader(from)}
	magic := make([]byte, len(archiveMagic))
	if _, err := io.ReadFull(r.from, magic); err != nil || string(magic) != archiveMagic {
		return nil, fmt.Errorf("%w: the first line is not %q", ErrArchive, strings.TrimSpace(archiveMagic))
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
			return nil, fmt.Errorf("%w: unexpected part of kind %d", ErrArchive, kind)
		}
	}
	manifest, err := ParseManifest(r.Manifest)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	r.chunks = len(manifest.Chunks)
	return r, nil
}

// Next returns the next chunk, and io.EOF after the last one if the file ends there. It does not compare the chunk with
// the manifest.
func (r *ArchiveReader) Next() ([]byte, error) {
	kind, content, err := r.part()
	switch {
	case err != nil:
		return nil, err
	case kind == partChunk && r.chunks > 0:
		r.chunks--
		return content, nil
	case kind != partEnd || r.chunks > 0:
		return nil, fmt.Errorf("%w: unexpected part of kind %d, %d chunks are missing", ErrArchive, kind, r.chunks)
	}
	if _, err := r.from.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: data after its end", ErrArchive)
	}
	return nil, io.EOF
}

// part reads the next part, within the maximum size of its kind.
func (r *ArchiveReader) part() (kind byte, content []byte, err error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(r.from, head); err != nil {
		return 0, nil, truncated(err)
	}
	kind, size := head[0], binary.BigEndian.Uint32(head[1:])
	limit, valid := maxPartSize(kind)
	if !valid || size > limit {
		return 0, nil, fmt.Errorf("%w: part of kind %d with %d bytes", ErrArchive, kind, size)
	}
	content = make([]byte, size)
	if _, err := io.ReadFull(r.from, content); err != nil {
		return 0, nil, truncated(err)
	}
	return kind, content, nil
}

func maxPartSize(kind byte) (size uint32, valid bool) {
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

// truncated converts an unexpected end of the file into ErrArchive.
func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the file is truncated", ErrArchive)
	}
	return fmt.Errorf("read snapshot file: %w", err)
}
