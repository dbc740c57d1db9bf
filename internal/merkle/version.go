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
	added    []ref // nodes and pages reachable from this version but not from the parent
	replaced []ref // nodes and pages reachable from the parent but not from this version
}

// typicalDepth exceeds the length of most paths, also in a tree of ten million rows.
const typicalDepth = 40

// Root returns the root hash.
func (v *Version) Root() Hash { return v.root.hash }

// Len returns the number of rows.
func (v *Version) Len() int { return v.count }

// Path returns the siblings on the path from the row with the given key up to the root. The caller must check in the
// rows of this version that the row exists: the tree holds no keys and returns ErrAbsent only where the edge bits
// show that the key is absent. The rows are those of this version; they are read only if a page is damaged.
func (v *Version) Path(key []byte, rows Rows) ([]proof.Sibling, error) {
	siblings := make([]proof.Sibling, 0, typicalDepth)
	at, from, absent := v.descend(key, func(n *node, bit int) {
		siblings = append(siblings, proof.Sibling{Hash: n.hash[1-bit], Right: bit == 0})
	})
	if at.ref.isPage() && !absent {
		p, err := v.tree.readPage(at, key, from, rows)
		if err != nil {
			return nil, err
		}
		siblings, absent = p.appendPath(siblings, key)
	}
	if absent {
		return nil, ErrAbsent
	}
	slices.Reverse(siblings)
	return siblings, nil
}

// Absent reports whether the tree alone shows that no row has the key. A false result does not mean that the row
// exists: the tree holds only the first bits of each edge.
func (v *Version) Absent(key []byte) bool {
	at, _, absent := v.descend(key, func(*node, int) {})
	if absent || !at.ref.isPage() {
		return absent
	}
	buf := v.tree.pageBuffer()
	defer v.tree.buffers.Put(buf)
	p, err := v.tree.loadPage(at, buf[:])
	return err == nil && p.absent(key)
}

// descend visits the nodes that the bits of a key select, with the bit taken at each. It returns the row or page at which
// it ended, whose keys agree in the bits before from, and whether the stored edge bits show that the key is absent.
func (v *Version) descend(key []byte, visit func(n *node, bit int)) (at subtree, from int, absent bool) {
	at = v.root
	for {
		if at.ref == empty || at.edge.match(key, from) < at.edge.len() {
			return at, from, true
		}
		if !at.ref.isNode() {
			return at, from, false
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
		v.tree.free(v.reachable())
		return
	}
	v.tree.free(v.added)
	siblings := v.parent.children
	v.parent.children = slices.DeleteFunc(siblings, func(c *Version) bool { return c == v })
}

// reachable returns all nodes and pages of a version.
func (v *Version) reachable() []ref {
	var refs []ref
	v.walk(func(r ref) { refs = append(refs, r) })
	return refs
}

// walk calls visit for all nodes and pages of a version.
func (v *Version) walk(visit func(r ref)) {
	stack := []ref{v.root.ref}
	for len(stack) > 0 {
		last := len(stack) - 1
		r := stack[last]
		stack = stack[:last]
		if r == leaf || r == empty {
			continue
		}
		visit(r)
		if r.isNode() {
			stack = append(stack, v.dir.node(r).child[:]...)
		}
	}
}

// mergeInto removes v from between its parent and its only child. A slot that the child replaced is freed if v had
// added it; otherwise the parent still reaches it, and the child now replaces it relative to the parent.
func (v *Version) mergeInto(child *Version) {
	child.parent = v.parent
	if v.parent == nil {
		v.tree.free(child.replaced)
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
	v.tree.free(free)
}

// refSet is a set of nodes and pages, each as a bitmap.
type refSet struct{ nodes, pages bitmap }

func newRefSet(refs []ref) *refSet {
	s := &refSet{}
	for _, kind := range []struct {
		bits   *bitmap
		isPage bool
	}{{&s.nodes, false}, {&s.pages, true}} {
		low, high := empty, leaf
		for _, r := range refs {
			if r.isPage() == kind.isPage {
				low, high = min(low, r), max(high, r)
			}
		}
		if low <= high {
			*kind.bits = bitmap{base: low, words: make([]uint64, (high-low)/64+1)}
		}
	}
	for _, r := range refs {
		s.of(r).add(r)
	}
	return s
}

func (s *refSet) of(r ref) *bitmap {
	if r.isPage() {
		return &s.pages
	}
	return &s.nodes
}

// remove deletes r and reports whether it was in the set.
func (s *refSet) remove(r ref) bool { return s.of(r).remove(r) }

// bitmap is a set of numbers, from base on.
type bitmap struct {
	base  ref
	words []uint64
}

func (b *bitmap) add(r ref) { b.words[(r-b.base)/64] |= 1 << ((r - b.base) % 64) }

func (b *bitmap) remove(r ref) bool {
	if r < b.base || int((r-b.base)/64) >= len(b.words) {
		return false
	}
	word, bit := &b.words[(r-b.base)/64], uint64(1)<<((r-b.base)%64)
	had := *word&bit != 0
	*word &^= bit
	return had
}
