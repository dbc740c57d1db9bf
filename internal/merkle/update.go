package merkle

import (
	"bytes"
	"errors"
	"fmt"

	"makechain/internal/schema"
)

// Errors of an update. The base version is as it was, and nothing of the new one remains.
var (
	// ErrOrder says that changes are not in ascending order of their keys, each key once.
	ErrOrder = errors.New("changes are not in strictly ascending order")
	// ErrKeySize says that a key is longer than MaxKeySize.
	ErrKeySize = errors.New("key is too long")
	// ErrExisted says that a change is wrong about whether its row existed.
	ErrExisted = errors.New("change is wrong about whether its row existed")
	// ErrRows says that the rows given are not those of the base version.
	ErrRows = errors.New("rows and tree do not belong together")
)

// Rows are the rows that a version commits to.
type Rows interface {
	// Near returns a key of the rows that has much in common with a key, nil when none comes to mind. It may be called
	// by several goroutines.
	Near(key []byte) []byte
	// Seeker returns a new cursor over the rows. Several may be in use at a time, each by one goroutine.
	Seeker() (Seeker, error)
}

// Seeker finds keys. An update asks for them in runs of ascending order.
type Seeker interface {
	// SeekGE returns the first key at or behind lower, nil if there is none. It is valid until the next call.
	SeekGE(lower []byte) ([]byte, error)
	Close() error
}

// Update makes the version that follows base by changes, in ascending order of their keys. The rows are those of base;
// they are asked only for the surroundings of a new key, where the tree does not know them. The caller holds a
// reference to base and gets one to the new version.
//
// A change must be right about whether its row existed. That a new row is none is always noticed; that a missing row
// was changed or deleted is noticed unless the tree holds one whose key looks the same as far as the tree knows it.
// Deleting a row that did not exist changes nothing.
func (t *Tree) Update(base *Version, changes []schema.Change, rows Rows) (*Version, error) {
	changes = withoutVoid(changes)
	count, err := check(changes)
	if err != nil {
		return nil, err
	}
	u := newUpdate(t, base, changes, rows)
	root, err := u.run(base.root)
	if err != nil {
		return nil, fmt.Errorf("update the state tree: %w", err)
	}
	if root.ref == empty {
		root.hash = EmptyRoot()
	}
	v := &Version{
		tree: t, dir: u.dir, root: root, count: base.count + count,
		refs: 1, added: u.added, replaced: u.replaced,
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	base.adopt(v)
	return v, nil
}

// withoutVoid leaves out deletions of rows that did not exist.
func withoutVoid(changes []schema.Change) []schema.Change {
	void := func(c schema.Change) bool { return c.Value == nil && !c.Existed }
	n := 0
	for _, c := range changes {
		if void(c) {
			n++
		}
	}
	if n == 0 {
		return changes
	}
	kept := make([]schema.Change, 0, len(changes)-n)
	for _, c := range changes {
		if !void(c) {
			kept = append(kept, c)
		}
	}
	return kept
}

// check refuses changes out of order and returns by how much they change the number of rows.
func check(changes []schema.Change) (count int, err error) {
	for i, c := range changes {
		if len(c.Key) > MaxKeySize {
			return 0, fmt.Errorf("%w: %d bytes, at most %d", ErrKeySize, len(c.Key), MaxKeySize)
		}
		if i > 0 && bytes.Compare(changes[i-1].Key, c.Key) >= 0 {
			return 0, fmt.Errorf("%w: %x before %x", ErrOrder, changes[i-1].Key, c.Key)
		}
		switch {
		case c.Value == nil:
			count--
		case !c.Existed:
			count++
		}
	}
	return count, nil
}

// update is one call of Update.
type update struct {
	arena   *arena
	changes []schema.Change
	rows    Rows
	existed []int32      // for every change, the first one from it on whose row existed
	idle    chan *worker // workers that wait for a share
	dir     directory    // finds all slots of the new version

	added, replaced []ref
}

func newUpdate(t *Tree, base *Version, changes []schema.Change, rows Rows) *update {
	u := &update{
		arena: &t.arena, changes: changes, rows: rows, dir: base.dir,
		existed: make([]int32, len(changes)+1),
		idle:    make(chan *worker, t.parallelism),
	}
	next := int32(len(changes))
	u.existed[len(changes)] = next
	for i := len(changes) - 1; i >= 0; i-- {
		if changes[i].Existed {
			next = int32(i)
		}
		u.existed[i] = next
	}
	for range t.parallelism {
		u.idle <- &worker{update: u, dir: base.dir}
	}
	return u
}

// run applies all changes and gathers what the workers did.
func (u *update) run(root subtree) (subtree, error) {
	w := <-u.idle
	root, err := w.apply(task{subtree: root, hi: len(u.changes)})
	u.idle <- w
	for range cap(u.idle) {
		w := <-u.idle
		err = errors.Join(err, w.finish())
		u.added = append(u.added, w.added...)
		u.replaced = append(u.replaced, w.replaced...)
		if len(w.dir) > len(u.dir) {
			u.dir = w.dir
		}
	}
	if err != nil {
		u.arena.give(u.added)
	}
	return root, err
}
