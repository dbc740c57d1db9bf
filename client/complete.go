package client

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

const (
	// maxCandidates is how many meanings of an ambiguous name are listed.
	maxCandidates = 10
	// maxCompletionPages bounds the rows that are looked through for a prefix with an odd number of digits, which
	// keys cannot be asked for directly.
	maxCompletionPages = 20
)

// wanted is an id that is known by its first digits. The rows under one prefix have it next in their keys, and
// nothing after it.
type partialID struct {
	kind, name string
	display    string // what stands before the digits when they are printed
	keyPrefix  []byte
	digits     string // lower case
	size       int    // of the id, in bytes
}

func (c *Client) completeHash(ctx context.Context, what, name string, under []byte, digits string) (message.Hash, error) {
	id, err := c.complete(ctx, partialID{kind: what, name: name, keyPrefix: under, digits: digits, size: ident.HashSize})
	if err != nil {
		return message.Hash{}, err
	}
	return message.Hash(id), nil
}

// complete finds the one id that begins with the digits. That there is no other is proven as rows are. An id that is
// given in full is taken as it is, whether or not there is such a row. The answer has size bytes, all zero with an
// error.
func (c *Client) complete(ctx context.Context, w partialID) ([]byte, error) {
	if len(w.digits) == 2*w.size {
		return hex.DecodeString(w.digits)
	}
	none := make([]byte, w.size)
	whole, err := hex.DecodeString(w.digits[:len(w.digits)&^1])
	if err != nil {
		return none, fmt.Errorf("%s %q: %w", w.kind, w.name, err)
	}
	prefix := append(append([]byte(nil), w.keyPrefix...), whole...)
	var found []string
	var cursor []byte
	for range maxCompletionPages {
		page, err := c.rows(ctx, prefix, cursor)
		if err != nil {
			return none, err
		}
		for _, entry := range page.GetEntries() {
			id := hex.EncodeToString(entry.GetKey()[len(w.keyPrefix):])
			if strings.HasPrefix(id, w.digits) && len(id) == 2*w.size {
				found = append(found, id)
			}
		}
		if page.GetComplete() {
			return w.one(found)
		}
		if len(found) > 1 {
			break
		}
		cursor = page.GetNextCursor()
	}
	if len(found) < 2 {
		return none, fmt.Errorf("%s %q: too many begin like this, give another digit", w.kind, w.name)
	}
	return w.one(found)
}

func (w *partialID) one(found []string) ([]byte, error) {
	switch len(found) {
	case 0:
		return make([]byte, w.size), &NotFoundError{w.kind, w.name}
	case 1:
		return hex.DecodeString(found[0])
	default:
		ambiguous := &AmbiguousError{Kind: w.kind, Name: w.name}
		for _, id := range found[:min(len(found), maxCandidates)] {
			ambiguous.Candidates = append(ambiguous.Candidates, w.display+id)
		}
		return make([]byte, w.size), ambiguous
	}
}

// read reads and decodes a row that has to be there.
func (c *Client) read(ctx context.Context, key []byte, row proto.Message, what, name string) error {
	value, _, err := c.lookup(ctx, key)
	if err != nil {
		return err
	}
	if value == nil {
		return &NotFoundError{what, name}
	}
	if err := schema.Decode(value, row); err != nil {
		return fmt.Errorf("row of %s %q: %w", what, name, err)
	}
	return nil
}
