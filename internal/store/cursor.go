package store

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/schema"
)

// firstRow returns the lowest key of a row, above the store's own keys.
func firstRow() []byte { return []byte{byte(schema.PrefixTombstone)} }

// rowsEnd returns the exclusive upper bound of the rows of the state.
func rowsEnd() []byte { return []byte{byte(schema.LastPrefix) + 1} }

// derivedBounds returns the bounds of the derived rows, which lie between other rows and are not in the tree.
func derivedBounds() (lower, upper []byte) {
	return []byte{byte(schema.PrefixAge)}, []byte{byte(schema.PrefixMergeRequestPair) + 1}
}

// treeCursor iterates over the rows of the state tree.
type treeCursor struct{ iter *pebble.Iterator }

func newTreeCursor(rows pebble.Reader) (*treeCursor, error) {
	iter, err := rows.NewIter(&pebble.IterOptions{LowerBound: firstRow(), UpperBound: rowsEnd()})
	if err != nil {
		return nil, fmt.Errorf("open an iterator: %w", err)
	}
	return &treeCursor{iter}, nil
}

// derived reports whether the cursor is at a row that is not in the tree.
func (c *treeCursor) derived() bool { return !schema.Prefix(c.iter.Key()[0]).Merkleized() }

func (c *treeCursor) seekGE(key []byte) bool {
	found := c.iter.SeekGE(key)
	return found && (!c.derived() || c.skip())
}

func (c *treeCursor) seekLT(key []byte) bool {
	found := c.iter.SeekLT(key)
	if found && c.derived() {
		lower, _ := derivedBounds()
		return c.iter.SeekLT(lower)
	}
	return found
}

func (c *treeCursor) next() bool {
	found := c.iter.Next()
	return found && (!c.derived() || c.skip())
}

// skip moves to the first row after the derived ones.
func (c *treeCursor) skip() bool {
	_, upper := derivedBounds()
	return c.iter.SeekGE(upper)
}

// SeekGE implements merkle.Seeker.
func (c *treeCursor) SeekGE(lower []byte) ([]byte, error) {
	if !c.seekGE(lower) {
		return nil, c.iter.Error()
	}
	return c.iter.Key(), nil
}

// Scan implements merkle.Seeker.
func (c *treeCursor) Scan(lower []byte, visit func(key, value []byte) bool) error {
	for ok := c.seekGE(lower); ok; ok = c.next() {
		value, err := c.iter.ValueAndErr()
		if err != nil {
			return fmt.Errorf("read row %x: %w", c.iter.Key(), err)
		}
		if !visit(c.iter.Key(), value) {
			return nil
		}
	}
	return c.iter.Error()
}

// Close closes the cursor and returns the error that ended it, if any.
func (c *treeCursor) Close() error { return c.iter.Close() }

// scanTree visits all rows of the state tree in order. It returns the first error of visit.
func scanTree(rows pebble.Reader, visit func(key, value []byte) error) error {
	c, err := newTreeCursor(rows)
	if err != nil {
		return err
	}
	for ok := c.seekGE(firstRow()); ok; ok = c.next() {
		value, err := c.iter.ValueAndErr()
		if err == nil {
			err = visit(c.iter.Key(), value)
		}
		if err != nil {
			return errors.Join(err, c.Close())
		}
	}
	return c.Close()
}
