package fsck

import (
	"maps"
	"slices"

	"makechain/internal/schema"
)

// bound counts a row and checks its size. A key with an unknown prefix is reported by its own check.
func (c *checker) bound(key, value []byte) {
	if len(key) == 0 {
		return
	}
	bound, ok := c.bounds[schema.Prefix(key[0])]
	if !ok {
		return
	}
	c.kinds[schema.Prefix(key[0])]++
	if size := len(key) + len(value); size > bound.RowBytes {
		c.finding(OverBounds, key, "the row has %d bytes, a row of its kind has at most %d", size, bound.RowBytes)
	}
}

// checkBounds compares the numbers of rows with what the accounts allow. It must be called after the last row.
func (c *checker) checkBounds() {
	for _, prefix := range slices.Sorted(maps.Keys(c.kinds)) {
		if limit := c.bounds[prefix].Rows(c.totals); c.kinds[prefix] > limit {
			c.finding(OverBounds, []byte{byte(prefix)}, "%d rows have this prefix, %d accounts with %d units and %d projects ever can have at most %d",
				c.kinds[prefix], c.totals.Accounts, c.totals.Units, c.totals.Projects, limit)
		}
	}
}
