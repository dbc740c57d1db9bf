package merkle

import (
	"bytes"
	"fmt"
)

// leaves returns the first bit, up to end, in which some of the changed keys differ from all keys of the subtree, and
// the bit those have there. It remembers in the task a key that it had to ask for.
func (w *worker) leaves(t *task, end int) (at, side int, err error) {
	first, last := w.changes[t.lo].Key, w.changes[t.hi-1].Key
	if i := int(w.existed[t.lo]); i < t.hi {
		t.member = w.changes[i].Key
		if t.edge.agrees(t.member, t.from) < t.edge.known() {
			return 0, 0, fmt.Errorf("%w: key %x is not in the tree", ErrExisted, t.member)
		}
	}
	if t.member == nil {
		known := t.from + t.edge.known()
		a, b := t.from+t.edge.agrees(first, t.from), t.from+t.edge.agrees(last, t.from)
		if min(a, b) < known || known >= end {
			return pick(first, last, a, b, end)
		}
		if t.member, err = w.memberOf(first, known); err != nil {
			return 0, 0, err
		}
	}
	return pick(first, last, branch(first, t.member, t.from), branch(last, t.member, t.from), end)
}

// pick takes the earlier of the bits at which the first and the last of sorted keys leave an edge: no key between them
// leaves it before.
func pick(first, last []byte, a, b, end int) (at, side int, err error) {
	switch {
	case min(a, b) >= end:
		return end, 0, nil
	case a < b:
		return a, 1 - bitAt(first, a), nil
	default:
		return b, 1 - bitAt(last, b), nil
	}
}

// memberOf asks the rows for a key that agrees with the given one in its first n bits. The tree says that there is one.
func (w *worker) memberOf(key []byte, n int) ([]byte, error) {
	if near := w.rows.Near(key); near != nil && branch(near, key, 0) >= n {
		return near, nil
	}
	if w.seeker == nil {
		s, err := w.rows.Seeker()
		if err != nil {
			return nil, fmt.Errorf("open a cursor: %w", err)
		}
		w.seeker = s
	}
	found, err := w.seeker.SeekGE(floor(key, n))
	if err != nil {
		return nil, fmt.Errorf("seek key %x: %w", key, err)
	}
	if found == nil || branch(found, key, 0) < n {
		return nil, fmt.Errorf("%w: no row begins with the first %d bits of %x", ErrRows, n, key)
	}
	return bytes.Clone(found), nil
}
