package merkle

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// recomputePage computes the page of a subtree from its rows: those whose keys agree with the given one in all bits before
// from. It returns ErrRows if they do not have the hash of the subtree. The reason is why the stored page was not used.
func (t *Tree) recomputePage(s subtree, key []byte, from int, seeker Seeker, reason error) (page, error) {
	if t.options.Damaged != nil {
		if reason == nil {
			reason = fmt.Errorf("%w: wrong hash", errPage)
		}
		t.options.Damaged(s.ref.page(), reason)
	}
	var keys [][]byte
	var hashes []byte
	err := seeker.Scan(floor(key, from), func(k, value []byte) bool {
		if branch(k, key, 0) < from || len(keys) > PageRows {
			return false
		}
		h := LeafHash(k, value)
		keys, hashes = append(keys, bytes.Clone(k)), append(hashes, h[:]...)
		return true
	})
	if err != nil {
		return page{}, fmt.Errorf("read the rows of page %d: %w", s.ref.page(), err)
	}
	if len(keys) < 2 || len(keys) > PageRows {
		return page{}, fmt.Errorf("%w: %d rows below the first %d bits of %x, not a page", ErrRows, len(keys), from, key)
	}
	p := page{rows: len(keys), hashes: hashes, nodes: make([]byte, (len(keys)-1)*pageNodeSize)}
	for i := range len(keys) - 1 {
		binary.BigEndian.PutUint16(p.nodes[i*pageNodeSize:], uint16(branch(keys[i], keys[i+1], 0)))
	}
	p.setEdges(keys, 0, len(keys))
	if p.root(0, p.rows) != s.hash {
		return page{}, fmt.Errorf("%w: the rows below the first %d bits of %x have another hash", ErrRows, from, key)
	}
	return p, nil
}

// setEdges computes the edges of the nodes above the rows [lo, hi). It returns the crit position of the topmost one, or the
// end of the key of a single row.
func (p page) setEdges(keys [][]byte, lo, hi int) (end int) {
	if hi-lo == 1 {
		return keyEnd
	}
	at := p.split(lo, hi)
	crit := p.crit(at)
	left, right := p.setEdges(keys, lo, at+1), p.setEdges(keys, at+1, hi)
	edges := p.nodes[at*pageNodeSize+2:]
	binary.BigEndian.PutUint16(edges, uint16(edgeOf(keys[lo], crit+1, left)))
	binary.BigEndian.PutUint16(edges[2:], uint16(edgeOf(keys[at+1], crit+1, right)))
	return crit
}
