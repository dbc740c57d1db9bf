package rpc

import (
	"bytes"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	"makechain/internal/limit"
	"makechain/internal/schema"
)

const (
	// MaxResponseBytes is the size after which a page ends early: clients accept 4 MiB by default.
	MaxResponseBytes = 3 << 20
	// MaxRowsScanned is the largest number of rows that one call reads. A list that skips rows may end a page early, even
	// an empty one.
	MaxRowsScanned = 10_000
)

// limitOf returns the page size for the limit of a request.
func limitOf(requested uint32) int {
	if requested == 0 {
		return limit.DefaultPage
	}
	return int(min(requested, limit.MaxPage))
}

// pageSize counts the items of a response against its limits. The first item always fits.
type pageSize struct {
	maxItems, items, bytes int
}

// add counts one more item and reports whether it fits.
func (p *pageSize) add(item proto.Message) bool {
	p.bytes += proto.Size(item)
	if p.items == p.maxItems || p.items > 0 && p.bytes > MaxResponseBytes {
		return false
	}
	p.items++
	return true
}

// listID identifies the list that a cursor belongs to: a method and all parameters that select the items.
type listID [8]byte

func newListID(method string, parameters ...[]byte) (l listID) {
	h := blake3.New()
	for _, part := range append([][]byte{[]byte(method)}, parameters...) {
		digest := blake3.Sum256(part) // of fixed length, so that the parts are unambiguous
		_, _ = h.Write(digest[:])     // a hash never fails
	}
	copy(l[:], h.Sum(nil))
	return l
}

// cursor returns the cursor of a page that ended with the row at key.
func (l listID) cursor(key []byte) []byte { return append(l[:], key...) }

// after returns the key that the previous page ended with, nil for the first page. All keys of the list start with
// prefix.
func (l listID) after(cursor, prefix []byte) ([]byte, error) {
	if len(cursor) == 0 {
		return nil, nil
	}
	key, matches := bytes.CutPrefix(cursor, l[:])
	if !matches || len(key) == 0 || !bytes.HasPrefix(key, prefix) {
		return nil, invalid("cursor", "not a cursor of this list")
	}
	return key, nil
}

// pageRequest is a request for a page of a list.
type pageRequest interface {
	GetLimit() uint32
	GetCursor() []byte
}

// readPage reads a page of the rows with a prefix. itemOf returns the item of a row, or nil to skip it. A cursor contains
// the last key and stays valid while rows are added and deleted.
func readPage[T any, P rowOf[T], Item proto.Message](
	s Snapshot, l listID, prefix []byte, req pageRequest, itemOf func(key *schema.Key, row P) (Item, error),
) (items []Item, next []byte, err error) {
	after, err := l.after(req.GetCursor(), prefix)
	if err != nil {
		return nil, nil, err
	}
	lower := prefix
	if after != nil {
		lower = append(bytes.Clone(after), 0)
	}
	page, scanned := pageSize{maxItems: limitOf(req.GetLimit())}, 0
	var last *schema.Key
	err = scan(s, lower, schema.After(prefix), func(key *schema.Key, row P) (bool, error) {
		if scanned == MaxRowsScanned {
			next = l.cursor(last.Bytes())
			return false, nil
		}
		item, err := itemOf(key, row)
		if err != nil {
			return false, err
		}
		if item.ProtoReflect().IsValid() {
			if !page.add(item) {
				next = l.cursor(last.Bytes())
				return false, nil
			}
			items = append(items, item)
		}
		scanned, last = scanned+1, key
		return true, nil
	})
	return items, next, err
}
