package merkle

import (
	"errors"
	"slices"

	"makechain/proof"
)

// ErrAbsent says that a version has no row under a key.
var ErrAbsent = errors.New("no such row in the tree")

// Version is the tree of one set of rows. It never changes. Who holds a reference may read it; the slots that only it
// uses are taken back when the last reference is released.
//
// Versions form a tree by which was made from which. A version without references stays in it while it has several
// children, because then none of them knows alone which slots are still used.
type Version struct {
	tree  *Tree
	dir   directory
	root  subtree
	count int

	// The rest is guarded by tree.mu.
	refs     int
	parent   *Version
	children []*Version
	added    []ref // slots that the parent does not reach
	replaced []ref // slots that the parent reaches and this version does not
}

// usualDepth is longer than most paths, also of a tree with ten million rows.
const usualDepth = 40

// Root returns the root hash.
func (v *Version) Root() Hash { return v.root.hash }

// Len returns the number of rows.
func (v *Version) Len() int { return v.count }

// Path returns the steps from the row with that key up to the root. The tree holds no keys: it answers ErrAbsent where
// it can tell, but that the row exists is for the caller to know, from the rows of this version.
func (v *Version) Path(key []byte) ([]proof.Sibling, error) {
	steps := make([]proof.Sibling, 0, usualDepth)
	if v.descend(key, func(n *node, bit int) {
		steps = append(steps, proof.Sibling{Hash: n.hash[1-bit], Right: bit == 0})
	}) {
		return nil, ErrAbsent
	}
	slices.Reverse(steps)
	return steps, nil
}

// Absent reports whether the tree alone shows that no row has the key. A false result does not mean that the row
// exists: the tree holds only the first bits of each edge.
func (v *Version) Absent(key []byte) bool { return v.descend(key, func(*node, int) {}) }

// descend visits the nodes that the bits of a key lead to, with the bit taken at each, and says whether the way ends
// where the key cannot be.
func (v *Version) descend(key []byte, visit func(n *node, bit int)) (lacks bool) {
	at, from := v.root, 0
	for {
		if at.ref == empty || at.edge.agrees(key, from) < at.edge.known() {
			return true
		}
		if at.ref == leaf {
			return false
		}
		n := v.dir.node(at.ref)
		bit := bitAt(key, int(n.crit))
		visit(n, bit)
		at, from = n.subtree(bit), int(n.crit)+1
	}
}

// Retain adds a reference and returns the version.
func (v *Version) Retain() *Version {
	v.tree.mu.Lock()
	defer v.tree.mu.Unlock()
	v.refs++
	return v
}

// Release gives back a reference.
func (v *Version) Release() {
	v.tree.mu.Lock()
	defer v.tree.mu.Unlock()
	v.refs--
	v.prune()
}

// adopt makes v a child of the version it was made from. The caller holds tree.mu.
func (v *Version) adopt(child *Version) {
	child.parent = v
	v.children = append(v.children, child)
}

// prune removes versions that nobody needs, from v upwards. The caller holds tree.mu.
func (v *Version) prune() {
	for v != nil && v.refs == 0 {
		parent := v.parent
		switch len(v.children) {
		case 0:
			v.discard()
		case 1:
			v.mergeInto(v.children[0])
			return
		default:
			return
		}
		v = parent
	}
}

// discard takes back the slots of a version that nothing was made from.
func (v *Version) discard() {
	if v.parent == nil {
		v.tree.arena.give(v.reachable())
		return
	}
	v.tree.arena.give(v.added)
	siblings := v.parent.children
	v.parent.children = slices.DeleteFunc(siblings, func(c *Version) bool { return c == v })
}

// reachable lists all slots of a version.
func (v *Version) reachable() []ref {
	var slots []ref
	waiting := []ref{v.root.ref}
	for len(waiting) > 0 {
		last := len(waiting) - 1
		r := waiting[last]
		waiting = waiting[:last]
		if r != leaf && r != empty {
			slots = append(slots, r)
			waiting = append(waiting, v.dir.node(r).child[:]...)
		}
	}
	return slots
}

// mergeInto removes v between its parent and its only child. What the child replaced is free if v had added it;
// otherwise an older version still reaches it, and the child replaces it for that one.
func (v *Version) mergeInto(child *Version) {
	child.parent = v.parent
	if v.parent == nil {
		v.tree.arena.give(child.replaced)
		child.added, child.replaced = nil, nil
		return
	}
	siblings := v.parent.children
	siblings[slices.Index(siblings, v)] = child

	own := newRefSet(v.added)
	free := make([]ref, 0, len(child.replaced))
	replaced := v.replaced
	for _, r := range child.replaced {
		if own.remove(r) {
			free = append(free, r)
		} else {
			replaced = append(replaced, r)
		}
	}
	added := child.added
	for _, r := range v.added {
		if own.remove(r) {
			added = append(added, r)
		}
	}
	child.added, child.replaced = added, replaced
	v.tree.arena.give(free)
}

// refSet is a set of slots as a bitmap.
type refSet []uint64

func newRefSet(refs []ref) refSet {
	if len(refs) == 0 {
		return nil
	}
	s := make(refSet, slices.Max(refs)/64+1)
	for _, r := range refs {
		s[r/64] |= 1 << (r % 64)
	}
	return s
}

// remove takes r out and says whether it was in.
func (s refSet) remove(r ref) bool {
	word, bit := int(r/64), uint64(1)<<(r%64)
	if word >= len(s) || s[word]&bit == 0 {
		return false
	}
	s[word] &^= bit
	return true
}
