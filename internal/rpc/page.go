package rpc

import (
	"bytes"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	"makechain/internal/schema"
)

// Paging of lists.
const (
	DefaultLimit = 50
	MaxLimit     = 200
	// MaxAnswerBytes ends a page early: clients accept 4 MiB by default.
	MaxAnswerBytes = 3 << 20
)

// limitOf reads a limit: 0 means the default, and too much is served as the most.
func limitOf(limit uint32) int {
	if limit == 0 {
		return DefaultLimit
	}
	return int(min(limit, MaxLimit))
}

// list is what a cursor belongs to: a method and everything of its request that chooses the items.
type list [8]byte

func listOf(method string, choice ...[]byte) (l list) {
	h := blake3.New()
	for _, part := range append([][]byte{[]byte(method)}, choice...) {
		size := blake3.Sum256(part) // of one length, so that parts cannot run into one another
		_, _ = h.Write(size[:])     // a hash takes everything
	}
	copy(l[:], h.Sum(nil))
	return l
}

// cursor says that a page ended with the item at key.
func (l list) cursor(key []byte) []byte { return append(l[:], key...) }

// after is the key that the page before ended with, nil for the first page.
func (l list) after(cursor []byte) ([]byte, error) {
	if len(cursor) == 0 {
		return nil, nil
	}
	if !bytes.HasPrefix(cursor, l[:]) || len(cursor) == len(l) {
		return nil, invalid("cursor", "not a cursor of this list")
	}
	return cursor[len(l):], nil
}

// pageOf reads a page of the rows under prefix. read makes an item of a row, nil to leave the row out. A cursor
// stays good while rows come and go: it names the last key served, not a count.
func pageOf[T proto.Message](s Snapshot, l list, prefix []byte, limit uint32, cursor []byte, read func(key, value []byte) (T, error)) (items []T, next []byte, err error) {
	after, err := l.after(cursor)
	if err != nil {
		return nil, nil, err
	}
	lower := prefix
	if after != nil {
		if !bytes.HasPrefix(after, prefix) {
			return nil, nil, invalid("cursor", "not a cursor of this list")
		}
		lower = append(bytes.Clone(after), 0)
	}
	size, last := 0, []byte(nil)
	var failed error
	err = s.Scan(lower, schema.After(prefix), func(key, value []byte) bool {
		item, err := read(key, value)
		if err != nil {
			failed = err
			return false
		}
		if !item.ProtoReflect().IsValid() {
			return true
		}
		size += proto.Size(item)
		if len(items) == limitOf(limit) || len(items) > 0 && size > MaxAnswerBytes {
			next = l.cursor(last)
			return false
		}
		items, last = append(items, item), bytes.Clone(key)
		return true
	})
	if failed != nil {
		err = failed
	}
	return items, next, err
}
