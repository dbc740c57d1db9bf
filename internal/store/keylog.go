package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/merkle"
	"makechain/internal/schema"
)

// keyLogPrefix is the second byte of the keys of the key log: one row per block, with the keys of the state tree that the
// block changed. The log of the blocks after a checkpoint brings the tree of the checkpoint up to date.
const keyLogPrefix = 3

// maxKeyLog is the maximum number of bytes of a key log that is used: several times what lies between two checkpoints.
// With a longer one, building the tree from the rows is as fast and needs less memory.
const maxKeyLog = 512 << 20

// errKeyLog is the reason for which a key log is not used.
var errKeyLog = errors.New("invalid log of changed keys")

func keyLogKey(height uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{headPrefix, keyLogPrefix}, height)
}

// keyLogEnd returns the exclusive upper bound of the key log.
func keyLogEnd() []byte { return []byte{headPrefix, keyLogPrefix + 1} }

// Offsets of the fields of a row of the key log: checksum, the state before the block, then the keys in ascending order. A
// key is the number of bytes that it shares with the one before, the number of other bytes times two, plus one if the row
// existed before the block, and these bytes.
const (
	keyLogHeightAt = 4
	keyLogRootAt   = keyLogHeightAt + 8
	keyLogKeysAt   = keyLogRootAt + merkle.HashSize
)

// encodeKeyLog returns the row of a block that follows a state.
func encodeKeyLog(before head, changes []schema.Change) []byte {
	const typicalKey = 24
	b := make([]byte, keyLogRootAt, keyLogKeysAt+len(changes)*typicalKey)
	binary.BigEndian.PutUint64(b[keyLogHeightAt:], before.height)
	b = append(b, before.root[:]...)
	var last []byte
	for _, c := range changes {
		shared := sharedPrefix(last, c.Key)
		existed := uint64(0)
		if c.Existed {
			existed = 1
		}
		b = binary.AppendUvarint(b, uint64(shared))
		b = binary.AppendUvarint(b, uint64(len(c.Key)-shared)<<1|existed)
		b = append(b, c.Key[shared:]...)
		last = c.Key
	}
	binary.BigEndian.PutUint32(b, checksum(b[keyLogHeightAt:]))
	return b
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func sharedPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// changedKey is a key that blocks changed, and whether its row existed before.
type changedKey struct {
	key     []byte
	existed bool
}

// decodeKeyLog appends the keys of a row of the key log to keys. It returns the state before the block.
func decodeKeyLog(b []byte, keys []changedKey) (head, []changedKey, error) {
	if len(b) < keyLogKeysAt || binary.BigEndian.Uint32(b) != checksum(b[keyLogHeightAt:]) {
		return head{}, nil, fmt.Errorf("%w: wrong checksum", errKeyLog)
	}
	before := head{height: binary.BigEndian.Uint64(b[keyLogHeightAt:]), root: merkle.Hash(b[keyLogRootAt:])}
	rest := b[keyLogKeysAt:]
	var last []byte
	for len(rest) > 0 {
		shared, n := binary.Uvarint(rest)
		if n <= 0 || shared > uint64(len(last)) {
			return head{}, nil, fmt.Errorf("%w: wrong prefix", errKeyLog)
		}
		rest = rest[n:]
		size, n := binary.Uvarint(rest)
		if n <= 0 || size>>1 > uint64(len(rest)-n) {
			return head{}, nil, fmt.Errorf("%w: wrong size", errKeyLog)
		}
		rest = rest[n:]
		key := append(slices.Clip(last[:shared]), rest[:size>>1]...)
		rest = rest[size>>1:]
		keys = append(keys, changedKey{key: key, existed: size&1 == 1})
		last = key
	}
	return before, keys, nil
}

// readKeyLog returns the keys that blocks changed from one state to another, in ascending order, each with whether its row
// existed in the first. It returns errKeyLog if a block is missing.
func readKeyLog(rows pebble.Reader, from, to head) ([]changedKey, error) {
	if from == to {
		return nil, nil
	}
	iter, err := rows.NewIter(&pebble.IterOptions{LowerBound: keyLogKey(from.height + 1), UpperBound: keyLogEnd()})
	if err != nil {
		return nil, fmt.Errorf("read the log of changed keys: %w", err)
	}
	keys, err := readBlocks(iter, from, to)
	if err := errors.Join(err, iter.Close()); err != nil {
		return nil, err
	}
	slices.SortStableFunc(keys, func(a, b changedKey) int { return bytes.Compare(a.key, b.key) })
	return slices.CompactFunc(keys, func(a, b changedKey) bool { return bytes.Equal(a.key, b.key) }), nil
}

// readBlocks returns the keys of the blocks from one state to another in the order of the blocks.
func readBlocks(iter *pebble.Iterator, from, to head) ([]changedKey, error) {
	var keys []changedKey
	size, height := 0, from.height
	for ok := iter.First(); ok; ok = iter.Next() {
		value, err := iter.ValueAndErr()
		if err != nil {
			return nil, fmt.Errorf("read the log of changed keys: %w", err)
		}
		if size += len(value); size > maxKeyLog {
			return nil, fmt.Errorf("%w: it has more than %d bytes", errKeyLog, maxKeyLog)
		}
		var before head
		before, keys, err = decodeKeyLog(value, keys)
		if err != nil {
			return nil, err
		}
		if before.height != height || height == from.height && before.root != from.root {
			return nil, fmt.Errorf("%w: a block follows height %d with root %x, want height %d", errKeyLog, before.height, before.root, height)
		}
		if len(iter.Key()) != len(keyLogKey(0)) {
			return nil, fmt.Errorf("%w: key %x", errKeyLog, iter.Key())
		}
		height = binary.BigEndian.Uint64(iter.Key()[2:])
	}
	if height != to.height {
		return nil, fmt.Errorf("%w: it ends at height %d, the state has height %d", errKeyLog, height, to.height)
	}
	return keys, nil
}
