package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zeebo/blake3"
)

// Format is the number of the format that this program writes and reads. It changes with the layout of a manifest or a
// chunk, with the rule by which rows are cut, and with the bytes that the compressor makes.
const Format = 1

// Hash is a BLAKE3 digest of a manifest or a chunk, or the root of a state.
type Hash = [32]byte

// ErrManifest says that bytes are not a manifest.
var ErrManifest = errors.New("not a manifest")

// Manifest says what a snapshot consists of.
type Manifest struct {
	Height   uint64
	Root     Hash   // of the state tree
	Rows     uint64 // of the state tree
	Messages uint64 // committed by the chain up to Height
	Chunks   []Hash // of the compressed chunks, in order; at least one
}

// A manifest has a fixed part and then the hashes of its chunks, so no two byte strings are the same manifest. Numbers
// are big-endian. The format comes first and never moves.
const (
	heightAt   = 4
	rootAt     = heightAt + 8
	rowsAt     = rootAt + len(Hash{})
	messagesAt = rowsAt + 8
	chunksAt   = messagesAt + 8
)

// Encode gives the bytes that Hash names.
func (m *Manifest) Encode() []byte {
	b := make([]byte, 0, chunksAt+len(m.Chunks)*len(Hash{}))
	b = binary.BigEndian.AppendUint32(b, Format)
	b = binary.BigEndian.AppendUint64(b, m.Height)
	b = append(b, m.Root[:]...)
	b = binary.BigEndian.AppendUint64(b, m.Rows)
	b = binary.BigEndian.AppendUint64(b, m.Messages)
	for _, chunk := range m.Chunks {
		b = append(b, chunk[:]...)
	}
	return b
}

// Hash names the snapshot.
func (m *Manifest) Hash() Hash { return blake3.Sum256(m.Encode()) }

// ParseManifest reads what Encode wrote.
func ParseManifest(b []byte) (*Manifest, error) {
	if len(b) < heightAt {
		return nil, fmt.Errorf("%w: %d bytes", ErrManifest, len(b))
	}
	if format := binary.BigEndian.Uint32(b); format != Format {
		return nil, fmt.Errorf("%w: format %d, this program reads %d", ErrFormat, format, Format)
	}
	hashes := len(b) - chunksAt
	if hashes <= 0 || hashes%len(Hash{}) != 0 {
		return nil, fmt.Errorf("%w: %d bytes", ErrManifest, len(b))
	}
	m := &Manifest{
		Height:   binary.BigEndian.Uint64(b[heightAt:]),
		Root:     Hash(b[rootAt:rowsAt]),
		Rows:     binary.BigEndian.Uint64(b[rowsAt:]),
		Messages: binary.BigEndian.Uint64(b[messagesAt:]),
	}
	for at := chunksAt; at < len(b); at += len(Hash{}) {
		m.Chunks = append(m.Chunks, Hash(b[at:at+len(Hash{})]))
	}
	return m, nil
}
