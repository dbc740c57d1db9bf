package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/merkle"
)

// FormatVersion is the version of what is written. A store of another version is refused.
const FormatVersion = 1

// Reasons why a store is refused. What they say is found out again by every Open, until someone repairs the store.
var (
	// ErrFormat says that the store was written in a format this program does not know.
	ErrFormat = errors.New("unknown store format")
	// ErrCorrupt says that what is stored contradicts itself.
	ErrCorrupt = errors.New("store is corrupt")
)

// FirstIndexPrefix is the least first byte of a key that belongs to an index. What lies below is the state's.
const FirstIndexPrefix = 0x80

// headPrefix is the first byte of the key under which the head is stored, before all rows.
const headPrefix = 0x00

func headKey() []byte { return []byte{headPrefix} }

// head says which state the rows are.
type head struct {
	height uint64
	root   merkle.Hash
}

// The format version comes first and never moves, so that any program can tell which version it faces.
const (
	headHeightAt = 4
	headRootAt   = headHeightAt + 8
	headSize     = headRootAt + merkle.HashSize
)

func (h head) encode() []byte {
	b := make([]byte, headRootAt, headSize)
	binary.BigEndian.PutUint32(b, FormatVersion)
	binary.BigEndian.PutUint64(b[headHeightAt:], h.height)
	return append(b, h.root[:]...)
}

func decodeHead(b []byte) (head, error) {
	if len(b) < headHeightAt {
		return head{}, fmt.Errorf("%w: the head has %d bytes", ErrCorrupt, len(b))
	}
	if v := binary.BigEndian.Uint32(b); v != FormatVersion {
		return head{}, fmt.Errorf("%w: version %d, this program reads version %d", ErrFormat, v, FormatVersion)
	}
	if len(b) != headSize {
		return head{}, fmt.Errorf("%w: the head has %d bytes, want %d", ErrCorrupt, len(b), headSize)
	}
	return head{height: binary.BigEndian.Uint64(b[headHeightAt:]), root: merkle.Hash(b[headRootAt:])}, nil
}

// loadHead reads the head, and writes the one of genesis into a store without any.
func loadHead(db *pebble.DB) (head, error) {
	value, closer, err := db.Get(headKey())
	if errors.Is(err, pebble.ErrNotFound) {
		return initHead(db)
	}
	if err != nil {
		return head{}, fmt.Errorf("read the head: %w", err)
	}
	h, err := decodeHead(value)
	return h, errors.Join(err, closer.Close())
}

func initHead(db *pebble.DB) (head, error) {
	iter, err := db.NewIter(nil)
	if err != nil {
		return head{}, fmt.Errorf("look for rows: %w", err)
	}
	found := iter.First()
	if err := iter.Close(); err != nil {
		return head{}, fmt.Errorf("look for rows: %w", err)
	}
	if found {
		return head{}, fmt.Errorf("%w: there are rows and no head", ErrCorrupt)
	}
	genesis := head{root: merkle.EmptyRoot()}
	if err := db.Set(headKey(), genesis.encode(), pebble.Sync); err != nil {
		return head{}, fmt.Errorf("write the head of genesis: %w", err)
	}
	return genesis, nil
}
