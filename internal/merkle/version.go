package merkle

import (
	"errors"
	"slices"

	"makechain/proof"
)

// ErrAbsent is returned when a version has no row with the given key.
var ErrAbsent = errors.New("no such row in the tree")

// Version is the tree of one set of rows. It is immutable and may be read by any goroutine that holds a reference. The
// slots that only it uses are freed when its last reference is released.
//
// Versions form a tree: the parent of a version is the one it was computed from. A version without references is kept
// while it has several children, because then no single child determines which slots are still used.
type Version struct {
	tree  *Tree
	dir   directory
	root  subtree
	count int

	// The fields below are guarded by tree.mu.
	refs     int
	parent   *Version
	children []*Version
	added    []ref // slots reachable from this version but not from the parent
	replaced []ref // slots reachable from the parent but not from this version
}

// typicalDepth exceeds the length of most paths, also in a tree of ten million rows.
const typicalDepth = 40

// Root returns the root hash.
func (v *Version) Root() Hash { return v.root.hash }

// Len returns the number of rows.
func (v *Version) Len() int { return v.count }

// Path returns the siblings on the path from the row with the given key up to the root. The caller must check in the
// rows of this version that the row exists: the tree holds no keys and returns ErrAbsent only where the edge bits
// show that the key is absent.
func (v *Version) Path(key []byte) ([]proof.Sibling, error) {
	siblings := make([]proof.Sibling, 0, typicalDepth)
	if v.descend(key, func(n *node, bit int) {
		siblings = append(siblings, proof.Sibling{Hash: n.hash[1-bit], Right: bit == 0})
	}) {
		return nil, ErrAbsent
	}
	slices.Reverse(siblings)
	return siblings, nil
}

// Absent reports whether the tree alone shows that no row has the key. A false result does not mean that the row
// exists: the tree holds only the first bits of each edge.
func (v *Version) Absent(key []byte) bool { return v.descend(key, func(*node, int) {}) }

// descend visits the nodes that the bits of a key select, with the bit taken at each. It reports whether the stored
// edge bits show that the key is absent.
func (v *Version) descend(key []byte, visit func(n *node, bit int)) (absent bool) {
	at, from := v.root, 0
	for {
		if at.ref == empty || at.edge.match(key, from) < at.edge.len() {
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

// Release drops a reference.
func (v *Version) Release() {
	v.tree.mu.Lock()
	defer v.tree.mu.Unlock()
	v.refs--
	v.prune()
}

// adopt adds a version that was computed from v. tree.mu must be held.
func (v *Version) adopt(child *Version) {
	child.parent = v
	v.children = append(v.children, child)
}

// prune removes unreferenced versions, from v upwards. tree.mu must be held.
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

// discard frees the slots of a version without children.
func (v *Version) discard() {
	if v.parent == nil {
		v.tree.arena.free(v.reachable())
		return
	}
	v.tree.arena.free(v.added)
	siblings := v.parent.children
	v.parent.children = slices.DeleteFunc(siblings, func(c *Version) bool { return c == v })
}

// reachable returns all slots of a version.
func (v *Version) reachable() []ref {
	var slots []ref
	stack := []ref{v.root.ref}
	for len(stack) > 0 {
		last := len(stack) - 1
		r := stack[last]
		stack = stack[:last]
		if r != leaf && r != empty {
			slots = append(slots, r)
			stack = append(stack, v.dir.node(r).child[:]...)
		}
	}
	return slots
}

// mergeInto removes v from between its parent and its only child. A slot that the child replaced is freed if v had
// added it; otherwise the parent still reaches it, and the child now replaces it relative to the parent.
func (v *Version) mergeInto(child *Version) {
	child.parent = v.parent
	if v.parent == nil {
		v.tree.arena.free(child.replaced)
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
	v.tree.arena.free(free)
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

// remove deletes r and reports whether it was in the set.
func (s refSet) remove(r ref) bool {
	word, bit := int(r/64), uint64(1)<<(r%64)
	if word >= len(s) || s[word]&bit == 0 {
		return false
	}
	s[word] &^= bit
	return true
}
