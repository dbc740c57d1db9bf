package merkle

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"

	"makechain/internal/schema"
)

const (
	// forkSize is the number of changes on each side from which starting a second goroutine pays off.
	forkSize = 256
	// prefetchSize is the number of changes whose nodes are prefetched together: enough to keep the memory busy, few
	// enough for the nodes to stay in the cache until they are used.
	prefetchSize = 32
)

// worker applies changes on one goroutine.
type worker struct {
	*update
	slotSource
	seeker Seeker // nil until the first seek

	expanded []ref // nodes of the page that is being changed, as long as the update has not replaced them
	buf      []byte
	page     []byte // the changed page
	nodes    []ref  // its nodes

	added, replaced []ref

	touched byte // keeps the compiler from removing the reads of prefetch
}

// task is a subtree and the range [lo, hi) of changes to apply to it. Its keys and theirs agree in all bits before from.
type task struct {
	subtree
	from   int
	lo, hi int
	member []byte // a key of the subtree, nil if none was read
	cached bool   // the nodes on the path were prefetched
	fresh  bool   // the nodes were expanded from a page by this worker
}

// apply returns the subtree after the changes. Every changed node is created and hashed once, its children first.
func (w *worker) apply(t task) (subtree, error) {
	switch {
	case t.lo == t.hi:
		return t.subtree, nil
	case t.ref == empty:
		return w.grow(t)
	case t.ref.isPage():
		return w.applyPage(t)
	}
	end, n := keyEnd, (*node)(nil)
	if t.ref != leaf {
		n = w.dir.node(t.ref)
		end = int(n.crit)
	}
	at, side, err := w.divergence(&t, end)
	switch {
	case err != nil:
		return subtree{}, err
	case at < end:
		return w.branchOff(t, at, side, end)
	case n == nil:
		return w.changeLeaf(t)
	default:
		return w.descend(t, n)
	}
}

// descend splits the changes between the children of a node that all of them reach.
func (w *worker) descend(t task, n *node) (subtree, error) {
	if !t.cached && t.hi-t.lo <= prefetchSize {
		w.prefetch(t)
		t.cached = true
	}
	crit := int(n.crit)
	mid := w.splitAt(t.lo, t.hi, crit)
	zero := task{subtree: n.subtree(0), from: crit + 1, lo: t.lo, hi: mid, cached: t.cached, fresh: t.fresh}
	one := task{subtree: n.subtree(1), from: crit + 1, lo: mid, hi: t.hi, cached: t.cached, fresh: t.fresh}
	w.replace(t)
	if t.member != nil {
		if bitAt(t.member, crit) == 0 {
			zero.member = t.member
		} else {
			one.member = t.member
		}
	}
	return w.applyBoth(t, crit, zero, one)
}

// branchOff inserts a node above a subtree that some of the changes do not reach. They differ from it at a bit in
// which the subtree has the value side.
func (w *worker) branchOff(t task, at, side, end int) (subtree, error) {
	old := t.subtree
	if t.member != nil {
		old.edge = edgeOf(t.member, at+1, end)
	} else {
		old.edge = old.edge.cut(at + 1 - t.from)
	}
	mid := w.splitAt(t.lo, t.hi, at)
	none := subtree{ref: empty}
	zero := task{subtree: none, from: at + 1, lo: t.lo, hi: mid, cached: t.cached, fresh: t.fresh}
	one := task{subtree: none, from: at + 1, lo: mid, hi: t.hi, cached: t.cached, fresh: t.fresh}
	if side == 0 {
		zero.subtree, zero.member = old, t.member
	} else {
		one.subtree, one.member = old, t.member
	}
	return w.applyBoth(t, at, zero, one)
}

// grow builds a subtree from changes only.
func (w *worker) grow(t task) (subtree, error) {
	if t.hi-t.lo == 1 {
		c := &w.changes[t.lo]
		if c.Existed {
			return subtree{}, fmt.Errorf("%w: key %x is not in the tree", ErrExisted, c.Key)
		}
		return leafOf(c, t.from), nil
	}
	crit := branch(w.changes[t.lo].Key, w.changes[t.hi-1].Key, t.from)
	mid := w.splitAt(t.lo, t.hi, crit)
	none := subtree{ref: empty}
	return w.applyBoth(t, crit,
		task{subtree: none, from: crit + 1, lo: t.lo, hi: mid},
		task{subtree: none, from: crit + 1, lo: mid, hi: t.hi})
}

// changeLeaf rewrites or deletes the row of a leaf.
func (w *worker) changeLeaf(t task) (subtree, error) {
	c := &w.changes[t.lo]
	switch {
	case !c.Existed:
		return subtree{}, fmt.Errorf("%w: key %x is in the tree already", ErrExisted, c.Key)
	case c.Value == nil:
		return subtree{ref: empty}, nil
	default:
		return leafOf(c, t.from), nil
	}
}

func leafOf(c *schema.Change, from int) subtree {
	return subtree{hash: LeafHash(c.Key, c.Value), ref: leaf, edge: edgeOf(c.Key, from, keyEnd)}
}

// applyBoth applies the tasks of two children, concurrently if both are large and a worker is idle, and joins the
// results into a node at bit crit below the task t.
func (w *worker) applyBoth(t task, crit int, zero, one task) (subtree, error) {
	if !t.fresh && min(zero.hi-zero.lo, one.hi-one.lo) >= forkSize {
		select {
		case other := <-w.idle:
			return w.applyConcurrently(other, t, crit, zero, one)
		default:
		}
	}
	var kids [2]subtree
	var err error
	if kids[0], err = w.apply(zero); err != nil {
		return subtree{}, err
	}
	if kids[1], err = w.apply(one); err != nil {
		return subtree{}, err
	}
	return w.join(t, crit, kids), nil
}

// applyConcurrently is applyBoth with another worker for the second child. It is a function of its own because the variables that the
// goroutine uses are allocated.
func (w *worker) applyConcurrently(other *worker, t task, crit int, zero, one task) (subtree, error) {
	var kids [2]subtree
	done := make(chan error)
	go func() {
		var err error
		kids[1], err = other.apply(one)
		w.idle <- other
		done <- err
	}()
	var err error
	kids[0], err = w.apply(zero)
	if err = errors.Join(err, <-done); err != nil {
		return subtree{}, err
	}
	return w.join(t, crit, kids), nil
}

// join returns a node over two children, or the only non-empty child with a longer edge.
func (w *worker) join(t task, crit int, kids [2]subtree) subtree {
	path := edgeOf(w.changes[t.lo].Key, t.from, crit)
	for bit, kid := range kids {
		if other := kids[1-bit]; kid.ref == empty {
			if other.ref != empty {
				other.edge = path.extend(1-bit, other.edge)
			}
			return other
		}
	}
	r := w.newSlot()
	w.added = append(w.added, r)
	n := w.dir.node(r)
	*n = node{
		hash:  [2]Hash{kids[0].hash, kids[1].hash},
		child: [2]ref{kids[0].ref, kids[1].ref},
		crit:  uint16(crit),
		edge:  [2]edge{kids[0].edge, kids[1].edge},
	}
	return subtree{hash: InnerHash(kids[0].hash, kids[1].hash), ref: r, edge: path}
}

// replace notes that the new version does not reach the node of a task. Nodes that this update expanded are reused.
func (w *worker) replace(t task) {
	if !t.fresh {
		w.replaced = append(w.replaced, t.ref)
		return
	}
	i := slices.Index(w.expanded, t.ref)
	w.expanded = slices.Delete(w.expanded, i, i+1)
	w.slots = append(w.slots, t.ref)
}

// prefetch descends for all changes of a task at the same time to load their nodes into the cache. A single descent
// waits for each node before it can address the next; the loads of several descents overlap. Where a key is not in the
// tree its descent reads unrelated nodes, which is harmless.
func (w *worker) prefetch(t task) {
	var at [prefetchSize]ref
	changes := w.changes[t.lo:t.hi]
	for i := range changes {
		at[i] = t.ref
	}
	for descending := true; descending; {
		descending = false
		for i := range changes {
			if !at[i].isNode() {
				continue
			}
			n := w.dir.node(at[i])
			at[i] = n.child[bitAt(changes[i].Key, int(n.crit))]
			w.touched ^= n.hash[0][0] // the other cache line of the node
			descending = true
		}
	}
}

// divergence returns the first bit before end in which some of the changed keys differ from all keys of the subtree,
// and the value of that bit in the subtree; it returns end if there is none. A key that it had to read is kept in
// t.member.
func (w *worker) divergence(t *task, end int) (at, side int, err error) {
	first, last := w.changes[t.lo].Key, w.changes[t.hi-1].Key
	if i := int(w.existed[t.lo]); i < t.hi {
		t.member = w.changes[i].Key
		if t.edge.match(t.member, t.from) < t.edge.len() {
			return 0, 0, fmt.Errorf("%w: key %x is not in the tree", ErrExisted, t.member)
		}
	}
	if t.member == nil {
		known := t.from + t.edge.len()
		a, b := t.from+t.edge.match(first, t.from), t.from+t.edge.match(last, t.from)
		if min(a, b) < known || known >= end {
			return earlier(first, last, a, b, end)
		}
		if t.member, err = w.memberOf(first, known); err != nil {
			return 0, 0, err
		}
	}
	return earlier(first, last, branch(first, t.member, t.from), branch(last, t.member, t.from), end)
}

// earlier returns the earlier of the bits a and b at which the first and the last of sorted keys differ from an edge. No
// key between the two differs before that.
func earlier(first, last []byte, a, b, end int) (at, side int, err error) {
	switch {
	case min(a, b) >= end:
		return end, 0, nil
	case a < b:
		return a, 1 - bitAt(first, a), nil
	default:
		return b, 1 - bitAt(last, b), nil
	}
}

// memberOf reads a key that agrees with the given one in its first n bits. The tree shows that one exists.
func (w *worker) memberOf(key []byte, n int) ([]byte, error) {
	if near := w.rows.Near(key); near != nil && branch(near, key, 0) >= n {
		return near, nil
	}
	if err := w.openSeeker(); err != nil {
		return nil, err
	}
	found, err := w.seeker.SeekGE(floor(key, n))
	if err != nil {
		return nil, fmt.Errorf("seek key %x: %w", key, err)
	}
	if found == nil || branch(found, key, 0) < n {
		return nil, fmt.Errorf("%w: no row starts with the first %d bits of %x", ErrRows, n, key)
	}
	return bytes.Clone(found), nil
}

func (w *worker) openSeeker() error {
	if w.seeker != nil {
		return nil
	}
	s, err := w.rows.Seeker()
	if err != nil {
		return fmt.Errorf("open a cursor: %w", err)
	}
	w.seeker = s
	return nil
}

// splitAt returns the first change in [lo, hi) whose key has a 1 at pos. All of them agree in the bits before pos.
func (w *worker) splitAt(lo, hi, pos int) int {
	if hi-lo == 1 {
		return lo + 1 - bitAt(w.changes[lo].Key, pos)
	}
	return lo + sort.Search(hi-lo, func(i int) bool { return bitAt(w.changes[lo+i].Key, pos) == 1 })
}

// finish frees the slots that the worker did not use and closes its cursor.
func (w *worker) finish() error {
	w.close()
	w.added = append(w.added, w.expanded...) // after an error
	if w.seeker == nil {
		return nil
	}
	return w.seeker.Close()
}
