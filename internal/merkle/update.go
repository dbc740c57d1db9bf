package merkle

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"makechain/internal/schema"
)

// Errors of an update. The base version is unchanged and no node of the new version remains.
var (
	// ErrOrder is returned when keys are not strictly ascending.
	ErrOrder = errors.New("changes are not in strictly ascending order")
	// ErrKeySize is returned when a key is longer than MaxKeySize.
	ErrKeySize = errors.New("key is too long")
	// ErrExisted is returned when the Existed field of a change does not match the tree.
	ErrExisted = errors.New("change states the wrong prior existence of its row")
	// ErrRows is returned when the rows are not those of the base version.
	ErrRows = errors.New("rows do not match the tree")
)

// Rows are the rows that a version commits to.
type Rows interface {
	// Near returns a key of the rows with a long common prefix with key if one is cached, otherwise nil. It may be
	// called by several goroutines.
	Near(key []byte) []byte
	// Seeker returns a new cursor over the rows. Several cursors may be in use at a time, each by one goroutine.
	Seeker() (Seeker, error)
}

// Seeker is a cursor over keys. An update seeks in mostly ascending order.
type Seeker interface {
	// SeekGE returns the first key that is not less than lower, nil if there is none. The key is valid until the next
	// call.
	SeekGE(lower []byte) ([]byte, error)
	// Scan visits the rows from lower on, in ascending key order, until visit returns false. The arguments of visit are
	// valid until it returns.
	Scan(lower []byte, visit func(key, value []byte) bool) error
	Close() error
}

// Update returns the version that results from applying changes, in ascending key order, to base. The rows are those of
// base; they are read only near new keys, where the edge bits in the tree do not suffice. The caller must hold a
// reference to base and must release the new version.
//
// The Existed field of a change must be correct. A new row that exists already is always detected. A change or deletion
// of a missing row is detected unless the tree holds a key that agrees with it in all stored edge bits. Deleting a row
// that did not exist changes nothing.
func (t *Tree) Update(base *Version, changes []schema.Change, rows Rows) (*Version, error) {
	changes = dropNoOps(changes)
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
		tree: t, dir: u.newDir, root: root, count: base.count + count,
		refs: 1, added: u.added, replaced: u.replaced,
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	base.adopt(v)
	return v, nil
}

// dropNoOps returns changes without the deletions of rows that did not exist.
func dropNoOps(changes []schema.Change) []schema.Change {
	noOp := func(c schema.Change) bool { return c.Value == nil && !c.Existed }
	if !slices.ContainsFunc(changes, noOp) {
		return changes
	}
	return slices.DeleteFunc(slices.Clone(changes), noOp)
}

// check validates the keys of changes and returns by how much the changes alter the number of rows.
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
	tree    *Tree
	changes []schema.Change
	rows    Rows
	existed []int32      // for every change, the index of the next change whose row existed
	idle    chan *worker // workers without a task
	newDir  directory    // contains all slots of the new version
	full    bool         // changed pages become pages again, because there is no room for their nodes in memory

	added, replaced []ref
}

func newUpdate(t *Tree, base *Version, changes []schema.Change, rows Rows) *update {
	u := &update{
		tree: t, changes: changes, rows: rows, newDir: base.dir, full: t.full(),
		existed: make([]int32, len(changes)+1),
		idle:    make(chan *worker, t.options.Parallelism),
	}
	next := int32(len(changes))
	u.existed[len(changes)] = next
	for i := len(changes) - 1; i >= 0; i-- {
		if changes[i].Existed {
			next = int32(i)
		}
		u.existed[i] = next
	}
	for range t.options.Parallelism {
		u.idle <- &worker{update: u, slotSource: slotSource{arena: &t.arena, dir: base.dir}}
	}
	return u
}

// run applies all changes and collects the slots that the workers added and replaced.
func (u *update) run(root subtree) (subtree, error) {
	w := <-u.idle
	root, err := w.apply(task{subtree: root, hi: len(u.changes)})
	u.idle <- w
	for range cap(u.idle) {
		w := <-u.idle
		err = errors.Join(err, w.finish())
		u.added = append(u.added, w.added...)
		u.replaced = append(u.replaced, w.replaced...)
		if len(w.dir) > len(u.newDir) {
			u.newDir = w.dir
		}
	}
	if u.full {
		// Pages that could not be written are computed from the rows when they are read.
		u.tree.setWriteError(u.tree.options.Pages.Flush())
	}
	if err != nil {
		u.tree.free(u.added)
	}
	return root, err
}
