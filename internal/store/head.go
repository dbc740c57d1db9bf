package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/merkle"
)

// FormatVersion is the version of the storage format and of the rows, which every block stores. Open refuses a store of another
// version, except oldestFormat: a program of that version does not read the blocks that this one stores beside the state.
const (
	FormatVersion = 4
	oldestFormat  = 3
)

// Reasons for which Open refuses a store.
var (
	// ErrFormat is returned for a store in a format that this program does not read.
	ErrFormat = errors.New("unknown store format")
	// ErrCorrupt is returned for a store whose rows do not match its root.
	ErrCorrupt = errors.New("store is corrupt")
	// ErrLocked is returned while another process, or this one, has the store open.
	ErrLocked = errors.New("store is in use")
)

// FirstIndexPrefix is the lowest first byte of a key of an index. Lower ones belong to the state.
const FirstIndexPrefix = 0x80

// headPrefix is the first byte of the store's own keys, below all rows.
const headPrefix = 0x00

func headKey() []byte { return []byte{headPrefix} }

// head identifies the state that is stored.
type head struct {
	height uint64
	root   merkle.Hash
}

// Offsets of the fields. The format version comes first and never moves, so that any program can read it.
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
	if v := binary.BigEndian.Uint32(b); v < oldestFormat || v > FormatVersion {
		return head{}, fmt.Errorf("%w: version %d, this program reads versions %d to %d", ErrFormat, v, oldestFormat, FormatVersion)
	}
	if len(b) != headSize {
		return head{}, fmt.Errorf("%w: the head has %d bytes, want %d", ErrCorrupt, len(b), headSize)
	}
	return head{height: binary.BigEndian.Uint64(b[headHeightAt:]), root: merkle.Hash(b[headRootAt:])}, nil
}

// loadHead reads the head. It writes the head of genesis to an empty store.
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
		return head{}, fmt.Errorf("read the first row: %w", err)
	}
	found := iter.First()
	if err := iter.Close(); err != nil {
		return head{}, fmt.Errorf("read the first row: %w", err)
	}
	if found {
		return head{}, fmt.Errorf("%w: it has rows but no head", ErrCorrupt)
	}
	genesis := head{root: merkle.EmptyRoot()}
	if err := db.Set(headKey(), genesis.encode(), pebble.Sync); err != nil {
		return head{}, fmt.Errorf("write the head of genesis: %w", err)
	}
	return genesis, nil
}
