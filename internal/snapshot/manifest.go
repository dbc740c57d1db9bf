package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zeebo/blake3"

	"makechain/internal/statesync"
)

// Format is the snapshot format that this program writes and reads. It changes with the rows, with the layout of a manifest
// or a chunk, with the rule by which rows are split into chunks, and with the output of the compressor.
const Format = 3

// Hash is a BLAKE3 digest of a manifest or a chunk, or the root of a state.
type Hash = [32]byte

// ErrManifest is returned for bytes that are not a manifest.
var ErrManifest = errors.New("not a manifest")

// Manifest describes a snapshot. The root and the rows prove everything else in it, so all nodes with a state have the same
// manifest of it.
type Manifest struct {
	Height uint64
	Root   Hash   // of the state tree
	Rows   uint64 // of the state tree
	Chunks []Hash // of the compressed chunks, in order; at least one
}

// Offsets of the fields. A manifest has a fixed part followed by the hashes of its chunks, so each manifest has exactly
// one encoding. Numbers are big-endian. The format comes first and never moves.
const (
	heightAt = 4
	rootAt   = heightAt + 8
	rowsAt   = rootAt + len(Hash{})
	chunksAt = rowsAt + 8
)

// Encode returns the canonical encoding of the manifest.
func (m *Manifest) Encode() []byte {
	b := make([]byte, 0, chunksAt+len(m.Chunks)*len(Hash{}))
	b = binary.BigEndian.AppendUint32(b, Format)
	b = binary.BigEndian.AppendUint64(b, m.Height)
	b = append(b, m.Root[:]...)
	b = binary.BigEndian.AppendUint64(b, m.Rows)
	for _, chunk := range m.Chunks {
		b = append(b, chunk[:]...)
	}
	return b
}

// Hash returns the hash of the encoded manifest, which identifies the snapshot.
func (m *Manifest) Hash() Hash { return blake3.Sum256(m.Encode()) }

// Offer returns the snapshot as it is offered to peers.
func (m *Manifest) Offer() statesync.Offer {
	encoded := m.Encode()
	hash := blake3.Sum256(encoded)
	return statesync.Offer{Height: m.Height, Format: Format, Chunks: uint32(len(m.Chunks)), Hash: hash[:], Manifest: encoded}
}

// ParseManifest decodes a manifest. It returns ErrManifest, or statesync.ErrFormat for another format.
func ParseManifest(b []byte) (*Manifest, error) {
	if len(b) < heightAt {
		return nil, fmt.Errorf("%w: %d bytes", ErrManifest, len(b))
	}
	if format := binary.BigEndian.Uint32(b); format != Format {
		return nil, fmt.Errorf("%w: format %d, this program reads %d", statesync.ErrFormat, format, Format)
	}
	hashes := len(b) - chunksAt
	if hashes <= 0 || hashes%len(Hash{}) != 0 {
		return nil, fmt.Errorf("%w: %d bytes", ErrManifest, len(b))
	}
	m := &Manifest{
		Height: binary.BigEndian.Uint64(b[heightAt:]),
		Root:   Hash(b[rootAt:rowsAt]),
		Rows:   binary.BigEndian.Uint64(b[rowsAt:]),
	}
	for at := chunksAt; at < len(b); at += len(Hash{}) {
		m.Chunks = append(m.Chunks, Hash(b[at:at+len(Hash{})]))
	}
	return m, nil
}
