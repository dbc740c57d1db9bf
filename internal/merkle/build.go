package merkle

import "fmt"

// Scan visits all rows in ascending key order. The arguments of visit are valid until it returns.
type Scan func(visit func(key, value []byte) error) error

// Build computes a version from all rows in one pass. The caller must release it.
func (t *Tree) Build(scan Scan) (*Version, error) {
	b := &builder{tree: t, slotSource: slotSource{arena: &t.arena}}
	t.evicting.Lock()
	defer t.evicting.Unlock()
	err := hashRows(t.options.Parallelism, scan, b.add)
	root := b.finish()
	v := &Version{tree: t, dir: b.dir, root: root, count: b.count, refs: 1}
	if err == nil {
		err = b.flush()
	}
	if err != nil {
		v.Release()
		return nil, fmt.Errorf("build the state tree: %w", err)
	}
	return v, nil
}

// builder computes a tree from leaves in key order. The stack holds the finished subtrees left of the last leaf, with
// ascending crit positions. A subtree is joined with its sibling when a leaf arrives that differs at an earlier bit.
type builder struct {
	slotSource
	tree  *Tree
	count int
	stack []pending
	last  Hash   // of the last leaf
	key   []byte // of the last leaf
	page  []byte // buffer
	err   error  // of writing a page
}

// pending is a subtree whose right sibling is not complete yet.
type pending struct {
	built
	crit int    // the bit at which the sibling differs
	key  []byte // a key of the subtree
}

// built is a finished subtree.
type built struct {
	hash Hash
	ref  ref
	end  int // its crit position, or the end of its key
	rows int // more than PageRows if there are more, or some are in pages
}

// add appends a leaf that differs from the last one at bit crit.
func (b *builder) add(key []byte, hash Hash, crit int) {
	if b.count > 0 {
		s := b.joinBelow(crit)
		if len(b.stack) < cap(b.stack) { // reuse the key buffer of an earlier entry
			b.stack = b.stack[:len(b.stack)+1]
		} else {
			b.stack = append(b.stack, pending{})
		}
		top := &b.stack[len(b.stack)-1]
		top.built, top.crit, top.key = s, crit, append(top.key[:0], b.key...)
	}
	b.key = append(b.key[:0], key...)
	b.last = hash
	b.count++
}

// joinBelow joins the last leaf with the pending subtrees whose bits come after crit, and removes them from the stack.
func (b *builder) joinBelow(crit int) built {
	at := built{hash: b.last, ref: leaf, end: keyEnd, rows: 1}
	for n := len(b.stack) - 1; n >= 0 && b.stack[n].crit > crit; n-- {
		at = b.join(&b.stack[n], at)
		b.stack = b.stack[:n]
	}
	return at
}

func (b *builder) join(left *pending, right built) built {
	rows := left.rows + right.rows
	if rows > PageRows {
		b.evict(&left.built)
		b.evict(&right)
	}
	r := b.newSlot()
	from := left.crit + 1
	*b.dir.node(r) = node{
		hash:  [2]Hash{left.hash, right.hash},
		child: [2]ref{left.ref, right.ref},
		crit:  uint16(left.crit),
		edge:  [2]edge{edgeOf(left.key, from, left.end), edgeOf(b.key, from, right.end)},
	}
	return built{hash: InnerHash(left.hash, right.hash), ref: r, end: left.crit, rows: min(rows, PageRows+1)}
}

// evict replaces a subtree that fits into a page by one if there are too many rows in memory.
func (b *builder) evict(s *built) {
	t := b.tree
	if t.options.Pages == nil || b.err != nil || !s.ref.isNode() || s.rows > PageRows || t.memoryRows() <= t.options.MemoryRows {
		return
	}
	var nodes []ref
	b.page, nodes = appendPage(b.page[:0], b.dir, subtree{hash: s.hash, ref: s.ref}, nil)
	r, err := t.writePage(b.page)
	if err != nil {
		b.err = err
		return
	}
	b.slots = append(b.slots, nodes...)
	s.ref = r
}

// flush makes the pages readable. It returns the first error of writing one.
func (b *builder) flush() error {
	if b.tree.options.Pages == nil || b.err != nil {
		return b.err
	}
	if err := b.tree.options.Pages.Flush(); err != nil {
		return fmt.Errorf("write pages: %w", err)
	}
	return nil
}

// finish joins the remaining subtrees and returns the root.
func (b *builder) finish() subtree {
	if b.count == 0 {
		return subtree{hash: EmptyRoot(), ref: empty, edge: noEdge}
	}
	root := b.joinBelow(-1)
	b.close()
	return subtree{hash: root.hash, ref: root.ref, edge: edgeOf(b.key, 0, root.end)}
}
