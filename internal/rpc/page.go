package rpc

import (
	"bytes"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	"makechain/internal/limit"
	"makechain/internal/schema"
)

// Paging of lists.
const (
	// MaxResponseBytes ends a page early: clients accept 4 MiB by default.
	MaxResponseBytes = 3 << 20
	// MaxRowsScanned is how many rows one call goes through. A list that leaves out many of them ends a page early,
	// even an empty one.
	MaxRowsScanned = 10_000
)

// limitOf reads a limit: 0 means the default, and too much is served as the most.
func limitOf(requested uint32) int {
	if requested == 0 {
		return limit.DefaultPage
	}
	return int(min(requested, limit.MaxPage))
}

// room counts what an answer holds against what it may. The first item always fits.
type room struct {
	most, items, bytes int
}

// take says whether one more item fits, and counts it.
func (r *room) take(item proto.Message) bool {
	r.bytes += proto.Size(item)
	if r.items == r.most || r.items > 0 && r.bytes > MaxResponseBytes {
		return false
	}
	r.items++
	return true
}

// list is what a cursor belongs to: a method and everything of its request that chooses the items.
type list [8]byte

func listOf(method string, choice ...[]byte) (l list) {
	h := blake3.New()
	for _, part := range append([][]byte{[]byte(method)}, choice...) {
		digest := blake3.Sum256(part) // of one length, so that parts cannot run into one another
		_, _ = h.Write(digest[:])     // a hash takes everything
	}
	copy(l[:], h.Sum(nil))
	return l
}

// cursor says that a page ended with the row at key.
func (l list) cursor(key []byte) []byte { return append(l[:], key...) }

// after is the key that the page before ended with, nil for the first page. All keys of the list begin with
// prefix.
func (l list) after(cursor, prefix []byte) ([]byte, error) {
	if len(cursor) == 0 {
		return nil, nil
	}
	key, ours := bytes.CutPrefix(cursor, l[:])
	if !ours || len(key) == 0 || !bytes.HasPrefix(key, prefix) {
		return nil, invalid("cursor", "not a cursor of this list")
	}
	return key, nil
}

// paged is a request for a page of a list.
type paged interface {
	GetLimit() uint32
	GetCursor() []byte
}

// pageOf reads a page of the rows under prefix. itemOf turns a row into an item, or into nil to leave it out. A
// cursor stays good while rows come and go: it names the last key passed, not a count.
func pageOf[T any, P rowOf[T], Item proto.Message](
	s Snapshot, l list, prefix []byte, req paged, itemOf func(key *schema.Key, row P) (Item, error),
) (items []Item, next []byte, err error) {
	after, err := l.after(req.GetCursor(), prefix)
	if err != nil {
		return nil, nil, err
	}
	lower := prefix
	if after != nil {
		lower = append(bytes.Clone(after), 0)
	}
	room, visited := room{most: limitOf(req.GetLimit())}, 0
	var last *schema.Key
	err = scan(s, lower, schema.After(prefix), func(key *schema.Key, row P) (bool, error) {
		if visited == MaxRowsScanned {
			next = l.cursor(last.Bytes())
			return false, nil
		}
		item, err := itemOf(key, row)
		if err != nil {
			return false, err
		}
		if item.ProtoReflect().IsValid() {
			if !room.take(item) {
				next = l.cursor(last.Bytes())
				return false, nil
			}
			items = append(items, item)
		}
		visited, last = visited+1, key
		return true, nil
	})
	return items, next, err
}
