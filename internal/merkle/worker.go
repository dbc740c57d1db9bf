package merkle

import (
	"errors"
	"fmt"
	"sort"

	"makechain/internal/schema"
)

const (
	// forkSize is the number of changes on each side from which a second goroutine is worth its start.
	forkSize = 256
	// slotBatch is the number of slots a worker takes at a time, so that workers seldom wait for one another.
	slotBatch = 512
)

// worker applies changes on one goroutine.
type worker struct {
	*update
	dir    directory
	slots  []ref  // taken and not used yet
	seeker Seeker // nil until a key is asked for

	added, replaced []ref

	touched byte // keeps the reads of prefetch
}

// task is to apply the changes in [lo, hi) to a subtree. Its keys and theirs agree in all bits before from.
type task struct {
	subtree
	from   int
	lo, hi int
	member []byte // a key of the subtree, nil if none is known
	near   bool   // the nodes on the way are in the cache
}

// apply returns the subtree after the changes. Every touched node is made and hashed once, its children first.
func (w *worker) apply(t task) (subtree, error) {
	switch {
	case t.lo == t.hi:
		return t.subtree, nil
	case t.ref == empty:
		return w.grow(t)
	}
	end, n := keyEnd, (*node)(nil)
	if t.ref != leaf {
		n = w.dir.node(t.ref)
		end = int(n.crit)
	}
	at, side, err := w.leaves(&t, end)
	switch {
	case err != nil:
		return subtree{}, err
	case at < end:
		return w.branchOff(t, at, side, end)
	case n == nil:
		return w.change(t)
	default:
		return w.descend(t, n)
	}
}

// descend spreads the changes over the children of a node that all of them reach.
func (w *worker) descend(t task, n *node) (subtree, error) {
	w.replaced = append(w.replaced, t.ref)
	if !t.near && t.hi-t.lo <= prefetchSize {
		w.prefetch(t)
		t.near = true
	}
	crit := int(n.crit)
	mid := w.splitAt(t.lo, t.hi, crit)
	zero := task{subtree: n.subtree(0), from: crit + 1, lo: t.lo, hi: mid, near: t.near}
	one := task{subtree: n.subtree(1), from: crit + 1, lo: mid, hi: t.hi, near: t.near}
	if t.member != nil {
		if bitAt(t.member, crit) == 0 {
			zero.member = t.member
		} else {
			one.member = t.member
		}
	}
	return w.both(t, crit, zero, one)
}

// branchOff puts a new node above a subtree that some of the changes do not reach: they leave at a bit in which the
// subtree lies on the given side.
func (w *worker) branchOff(t task, at, side, end int) (subtree, error) {
	old := t.subtree
	if t.member != nil {
		old.edge = edgeOf(t.member, at+1, end)
	} else {
		old.edge = old.edge.cut(at + 1 - t.from)
	}
	mid := w.splitAt(t.lo, t.hi, at)
	none := subtree{ref: empty}
	zero := task{subtree: none, from: at + 1, lo: t.lo, hi: mid, near: t.near}
	one := task{subtree: none, from: at + 1, lo: mid, hi: t.hi, near: t.near}
	if side == 0 {
		zero.subtree, zero.member = old, t.member
	} else {
		one.subtree, one.member = old, t.member
	}
	return w.both(t, at, zero, one)
}

// grow makes a subtree of changes alone.
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
	return w.both(t, crit,
		task{subtree: none, from: crit + 1, lo: t.lo, hi: mid},
		task{subtree: none, from: crit + 1, lo: mid, hi: t.hi})
}

// change rewrites or deletes the row of a leaf.
func (w *worker) change(t task) (subtree, error) {
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

// both does the tasks of two children and joins them into a node at bit crit below the task t.
func (w *worker) both(t task, crit int, zero, one task) (subtree, error) {
	kids, err := w.pair(zero, one)
	if err != nil {
		return subtree{}, err
	}
	return w.join(t, crit, kids), nil
}

// pair does two tasks, at the same time if they are large and a worker is idle.
func (w *worker) pair(zero, one task) (kids [2]subtree, err error) {
	if min(zero.hi-zero.lo, one.hi-one.lo) >= forkSize {
		select {
		case other := <-w.idle:
			return w.fork(other, zero, one)
		default:
		}
	}
	if kids[0], err = w.apply(zero); err != nil {
		return kids, err
	}
	kids[1], err = w.apply(one)
	return kids, err
}

func (w *worker) fork(other *worker, zero, one task) (kids [2]subtree, err error) {
	done := make(chan error)
	go func() {
		var err error
		kids[1], err = other.apply(one)
		w.idle <- other
		done <- err
	}()
	kids[0], err = w.apply(zero)
	return kids, errors.Join(err, <-done)
}

// join returns the node over two children, or the only child that is left, reached by a longer edge.
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
	if len(w.slots) == 0 {
		w.slots = make([]ref, slotBatch)
		w.dir = w.arena.take(w.slots)
	}
	r := w.slots[0]
	w.slots = w.slots[1:]
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

// splitAt returns the first change in [lo, hi) whose key has a 1 at a bit. All of them agree in the bits before.
func (w *worker) splitAt(lo, hi, pos int) int {
	if hi-lo == 1 {
		return lo + 1 - bitAt(w.changes[lo].Key, pos)
	}
	return lo + sort.Search(hi-lo, func(i int) bool { return bitAt(w.changes[lo+i].Key, pos) == 1 })
}

// finish gives back what the worker did not use.
func (w *worker) finish() error {
	w.arena.give(w.slots)
	if w.seeker == nil {
		return nil
	}
	return w.seeker.Close()
}
