package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/schema"
)

// firstRow begins the rows, behind what the store keeps for itself.
func firstRow() []byte { return []byte{byte(schema.PrefixTombstone)} }

// treeBounds enclose the rows of the state tree, and the derived rows among them.
func treeBounds() (lower, upper []byte) {
	return firstRow(), []byte{byte(schema.PrefixMergeRequestByRequester) + 1}
}

// derivedBounds enclose the derived rows, which are not in the tree.
func derivedBounds() (lower, upper []byte) {
	return []byte{byte(schema.PrefixAge)}, []byte{byte(schema.PrefixMergeRequestPair) + 1}
}

// treeCursor walks over the rows of the state tree.
type treeCursor struct{ iter *pebble.Iterator }

func newTreeCursor(rows pebble.Reader) (*treeCursor, error) {
	lower, upper := treeBounds()
	iter, err := rows.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return nil, fmt.Errorf("open a cursor: %w", err)
	}
	return &treeCursor{iter}, nil
}

// derived says whether the cursor stands on a row that is not in the tree.
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

// skip goes to the first row behind the derived ones.
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

// Close closes the cursor and returns the error that ended it, if any.
func (c *treeCursor) Close() error { return c.iter.Close() }

// scanTree visits all rows of the state tree in order.
func scanTree(rows pebble.Reader, visit func(key, value []byte) error) error {
	c, err := newTreeCursor(rows)
	if err != nil {
		return err
	}
	lower, _ := treeBounds()
	for ok := c.seekGE(lower); ok && err == nil; ok = c.next() {
		err = visitRow(c.iter, visit)
	}
	return closeWith(c.iter, err)
}

// scan visits the rows within bounds in order until visit returns false.
func scan(rows pebble.Reader, lower, upper []byte, visit func(key, value []byte) bool) error {
	iter, err := rows.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return fmt.Errorf("open a cursor: %w", err)
	}
	more := true
	for ok := iter.First(); ok && more && err == nil; ok = iter.Next() {
		err = visitRow(iter, func(key, value []byte) error {
			more = visit(key, value)
			return nil
		})
	}
	return closeWith(iter, err)
}

func visitRow(iter *pebble.Iterator, visit func(key, value []byte) error) error {
	value, err := iter.ValueAndErr()
	if err != nil {
		return fmt.Errorf("read row %x: %w", iter.Key(), err)
	}
	return visit(iter.Key(), value)
}

// closeWith closes a cursor. The error of a visit goes before the one of the cursor.
func closeWith(iter *pebble.Iterator, err error) error {
	closed := iter.Close()
	if err != nil {
		return err
	}
	if closed != nil {
		return fmt.Errorf("scan rows: %w", closed)
	}
	return nil
}
