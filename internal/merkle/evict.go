package merkle

import "fmt"

const (
	// evictVisits is how many nodes Evict visits at least if there are rows to evict. It visits one more for every evictShare of
	// these rows. Where all rows are in pages it finds none below a million nodes and more: if it caught up faster, the
	// blocks that get there would wait for a hundred thousand visits each.
	evictVisits = 4096
	evictShare  = 4
	// moveFactor is how many nodes Evict visits for each page that was changed, to find pages that should be moved. It
	// bounds how many pages change from one visit of a node to the next, and so the size of the page store.
	moveFactor = 2
	// maxEvictVisits bounds the time of one call: a visit takes 0.1 to 1.3 µs, depending on the caches of the processor.
	maxEvictVisits = 1 << 17
)

// Evict returns a version with the rows of v. If more rows than Options.MemoryRows are in memory, it replaces subtrees by
// pages, and if pages were changed since the last call, it moves pages that the page store calls sparse: a bounded number
// at a time, continuing through the keys where the last call ended. The caller must release the result, and v as before.
// After an error, which may be that of a page that Update could not write, v is unchanged.
func (t *Tree) Evict(v *Version) (*Version, error) {
	if t.options.Pages == nil {
		return v.Retain(), nil
	}
	if err := t.writeError.Swap(nil); err != nil {
		return nil, fmt.Errorf("write changed pages: %w", *err)
	}
	t.evicting.Lock()
	defer t.evicting.Unlock()
	excess := max(0, t.memoryRows()-t.options.MemoryRows)
	moves := min(maxEvictVisits, moveFactor*int(t.changedPages.Swap(0)))
	visits := moves
	if excess > 0 {
		visits = min(maxEvictVisits, max(moves, evictVisits+excess/evictShare))
	}
	v.Retain()
	for more := true; more && visits > 0 && (excess > 0 || moves > 0); {
		more = t.cursor != bitPath{} // otherwise it visits all keys
		e := &eviction{
			tree: t, slotSource: slotSource{arena: &t.arena, dir: v.dir}, start: t.cursor, visits: visits, moves: moves, goal: excess,
		}
		next, err := e.run(v)
		v.Release()
		if err != nil {
			return nil, fmt.Errorf("evict rows from memory: %w", err)
		}
		v, visits, moves, excess = next, e.visits, e.moves, e.goal
		t.cursor = e.stop
	}
	return v, nil
}

// eviction is one pass through the keys, from a position on.
type eviction struct {
	slotSource
	tree *Tree

	start   bitPath // where it starts
	path    bitPath // to the current node
	stop    bitPath // where the next one starts: the first node that was not visited, or the first of all
	stopped bool

	visits int // left
	moves  int // visits left to find pages to move, also if there is nothing to evict
	goal   int // rows to evict, left
	err    error

	page            []byte
	buf             []byte
	added, replaced []ref
}

// run returns a version with more pages than v.
func (e *eviction) run(v *Version) (*Version, error) {
	root := e.visit(v.root, true)
	e.close()
	if e.err == nil {
		e.err = e.tree.options.Pages.Flush()
	}
	if e.err != nil {
		e.tree.free(e.added)
		return nil, e.err
	}
	next := &Version{tree: e.tree, dir: e.dir, root: root.subtree, count: v.count, refs: 1, added: e.added, replaced: e.replaced}
	e.tree.mu.Lock()
	defer e.tree.mu.Unlock()
	v.adopt(next)
	return next, nil
}

// visited is a subtree after its visit.
type visited struct {
	subtree
	rows int // more than PageRows if there are more, if some are in pages, or if not all were visited
}

// visit returns a subtree with pages instead of nodes. Nodes before the start are not visited; onPath reports whether the
// start is below s.
func (e *eviction) visit(s subtree, onPath bool) visited {
	same := visited{s, PageRows + 1}
	switch {
	case e.err != nil || s.ref == empty:
		return same
	case s.ref == leaf:
		return visited{s, 1}
	case s.ref.isPage():
		return e.move(same)
	case e.visits == 0 || e.goal <= 0 && e.moves <= 0:
		if !e.stopped {
			e.stopped, e.stop = true, e.path
		}
		return same
	}
	e.visits--
	e.moves--
	n := e.dir.node(s.ref)
	crit := int(n.crit)
	zero, one := visited{n.subtree(0), PageRows + 1}, visited{n.subtree(1), PageRows + 1}
	startsInOne := onPath && e.start.bit(crit)
	if !startsInOne {
		zero = e.visit(zero.subtree, onPath)
	}
	e.path.set(crit)
	one = e.visit(one.subtree, startsInOne)
	e.path.clear(crit)
	rows := zero.rows + one.rows
	if rows <= PageRows {
		return visited{s, rows}
	}
	if e.err == nil && !e.stopped && !startsInOne { // both children were visited completely
		e.evict(&zero)
		e.evict(&one)
	}
	return visited{e.rejoin(s, zero.subtree, one.subtree), PageRows + 1}
}

// evict replaces a subtree that fits into a page by one.
func (e *eviction) evict(s *visited) {
	if s.rows > PageRows || !s.ref.isNode() || e.goal <= 0 {
		return
	}
	var nodes []ref
	e.page, nodes = appendPage(e.page[:0], e.dir, s.subtree, e.replaced)
	r, err := e.tree.writePage(e.page)
	if err != nil {
		e.err = err
		return
	}
	e.replaced, e.added = nodes, append(e.added, r)
	e.goal -= s.rows
	s.ref = r
}

// move stores a page of a sparse part of the page store again. A page that cannot be read stays where it is.
func (e *eviction) move(s visited) visited {
	if !e.tree.options.Pages.Sparse(s.ref.page()) {
		return s
	}
	if e.buf == nil {
		e.buf = make([]byte, MaxPageSize)
	}
	p, err := e.tree.loadPage(s.subtree, e.buf)
	if err != nil {
		return s
	}
	r, err := e.tree.writePage(p.stored)
	if err != nil {
		e.err = err
		return s
	}
	e.replaced, e.added = append(e.replaced, s.ref), append(e.added, r)
	s.ref = r
	return s
}

// rejoin returns s with other children of the same hashes.
func (e *eviction) rejoin(s, zero, one subtree) subtree {
	n := *e.dir.node(s.ref)
	if n.child == [2]ref{zero.ref, one.ref} || e.err != nil {
		return s
	}
	r := e.newSlot()
	n.child = [2]ref{zero.ref, one.ref}
	*e.dir.node(r) = n
	e.added, e.replaced = append(e.added, r), append(e.replaced, s.ref)
	s.ref = r
	return s
}

// bitPath is a position in the tree: the bits that the path to it takes at the nodes on it.
type bitPath [MaxDepth/64 + 1]uint64

func (p *bitPath) bit(pos int) bool { return p[pos/64]>>(pos%64)&1 != 0 }

func (p *bitPath) set(pos int) { p[pos/64] |= 1 << (pos % 64) }

func (p *bitPath) clear(pos int) { p[pos/64] &^= 1 << (pos % 64) }
