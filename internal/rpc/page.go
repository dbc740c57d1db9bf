package rpc

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/index"
	"makechain/internal/limit"
	"makechain/internal/schema"
)

const (
	// MaxResponseBytes is the size after which a page ends early. Clients accept 4 MiB by default; in memory a response takes
	// several times its size until the client has accepted it.
	MaxResponseBytes = 1 << 20
	// MaxRowsScanned is the largest number of rows, or of messages in blocks, that one call reads. A list that skips rows
	// may end a page early, even an empty one.
	MaxRowsScanned = 10_000
	// MaxBlocksScanned is the largest number of blocks that one call of ListMessages reads.
	MaxBlocksScanned = 1_000
	// MaxBytesScanned is the number of bytes of blocks after which a list of messages reads no further block.
	MaxBytesScanned = 32 << 20
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

// cursor returns a cursor of the list. For a list of rows the payload is the key of the last row of the page.
func (l listID) cursor(payload []byte) []byte { return append(l[:], payload...) }

// numberParameter returns a number as a parameter of a list.
func numberParameter(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// flagParameter returns a flag as a parameter of a list.
func flagParameter(set bool) []byte {
	if set {
		return []byte{1}
	}
	return []byte{0}
}

// typesParameter returns a filter by message type as a parameter of a list.
func typesParameter(types []pb.MessageType) []byte {
	var encoded []byte
	for _, t := range types {
		encoded = binary.AppendUvarint(encoded, uint64(t))
	}
	return encoded
}

// payload returns the part of a cursor after the list id, nil for the first page.
func (l listID) payload(cursor []byte) ([]byte, error) {
	if len(cursor) == 0 {
		return nil, nil
	}
	payload, matches := bytes.CutPrefix(cursor, l[:])
	if !matches || len(payload) == 0 {
		return nil, errCursor()
	}
	return payload, nil
}

// position returns the position in a cursor, zero for the first page.
func (l listID) position(cursor []byte) (index.Position, error) {
	payload, err := l.payload(cursor)
	if payload == nil || err != nil {
		return index.Position{}, err
	}
	at, err := index.DecodePosition(payload)
	if err != nil {
		return at, errCursor()
	}
	return at, nil
}

func errCursor() error { return invalid("cursor", "not a cursor of this list") }

// after returns the key that the previous page ended with, nil for the first page. All keys of the list start with
// prefix.
func (l listID) after(cursor, prefix []byte) ([]byte, error) {
	key, err := l.payload(cursor)
	if err == nil && !bytes.HasPrefix(key, prefix) && key != nil {
		err = errCursor()
	}
	return key, err
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
	return readKeys(s, l, prefix, req, func(key, value []byte) (item Item, err error) {
		parsed, err := schema.ParseKey(key)
		if err != nil {
			return item, err
		}
		row := P(new(T))
		if err := schema.Decode(value, row); err != nil {
			return item, err
		}
		return itemOf(&parsed, row)
	})
}

// readKeys is readPage for rows of any form. itemOf may keep the key, not the value.
func readKeys[Item proto.Message](
	s Snapshot, l listID, prefix []byte, req pageRequest, itemOf func(key, value []byte) (Item, error),
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
	var last []byte
	var failed error
	err = s.Scan(lower, schema.After(prefix), func(key, value []byte) bool {
		if scanned == MaxRowsScanned {
			next = l.cursor(last)
			return false
		}
		key = bytes.Clone(key)
		item, err := itemOf(key, value)
		if err != nil {
			failed = fmt.Errorf("row %x: %w", key, err)
			return false
		}
		if item.ProtoReflect().IsValid() {
			if !page.add(item) {
				next = l.cursor(last)
				return false
			}
			items = append(items, item)
		}
		scanned, last = scanned+1, key
		return true
	})
	if failed != nil {
		err = failed
	}
	return items, next, err
}
