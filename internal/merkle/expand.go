package merkle

// keepPage is the fraction of changed pages that become nodes in memory although there is no room for more. A page that
// changes often is soon among them, others rarely.
const keepPage = 16

// applyPage applies changes to the subtree of a page. It is expanded to nodes, which stay in memory if there is room, and
// become another page otherwise.
func (w *worker) applyPage(t task) (subtree, error) {
	before, added := t.subtree, len(w.added)
	p, err := w.pageOf(t)
	if err != nil {
		return subtree{}, err
	}
	if err := w.expand(&t, p); err != nil {
		return subtree{}, err
	}
	w.replaced = append(w.replaced, before.ref)
	w.tree.changedPages.Add(1)
	t.cached, t.fresh = true, true
	s, err := w.apply(t)
	if err != nil {
		return subtree{}, err
	}
	w.added = append(w.added, w.expanded...)
	w.expanded = w.expanded[:0]
	if w.full && before.hash[0]%keepPage != 0 {
		w.added = w.added[:added]
		s = w.storePages(s)
	}
	return s, nil
}

// storePages replaces a subtree of nodes that this worker expanded or created by pages: by one if its rows fit into it,
// otherwise by several below nodes. It adds both to w.added. The nodes of a page that cannot be written stay.
func (w *worker) storePages(s subtree) subtree {
	if !s.ref.isNode() {
		return s
	}
	if w.dir.rows(s.ref) > PageRows {
		w.added = append(w.added, s.ref)
		n := w.dir.node(s.ref)
		for bit := range n.child {
			n.child[bit] = w.storePages(n.subtree(bit)).ref
		}
		return s
	}
	w.page, w.nodes = appendPage(w.page[:0], w.dir, s, w.nodes[:0])
	r, err := w.tree.writePage(w.page)
	if err != nil {
		w.tree.setWriteError(err)
		w.added = append(w.added, w.nodes...)
		return s
	}
	w.added, w.slots = append(w.added, r), append(w.slots, w.nodes...)
	s.ref = r
	return s
}

// rows returns the number of rows of a subtree without pages.
func (d directory) rows(r ref) int {
	if r == leaf {
		return 1
	}
	n := d.node(r)
	return d.rows(n.child[0]) + d.rows(n.child[1])
}

// pageOf reads the page of a task, or computes it from the rows if it is damaged.
func (w *worker) pageOf(t task) (page, error) {
	if w.buf == nil {
		w.buf = make([]byte, MaxPageSize)
	}
	p, err := w.tree.loadPage(t.subtree, w.buf)
	if err == nil {
		return p, nil
	}
	return w.recompute(t, err)
}

func (w *worker) recompute(t task, reason error) (page, error) {
	if err := w.openSeeker(); err != nil {
		return page{}, err
	}
	return w.tree.recomputePage(t.subtree, w.changes[t.lo].Key, t.from, w.seeker, reason)
}

// expand replaces the page of a task by nodes. If they do not have the hash of the page, the page is computed from the rows.
func (w *worker) expand(t *task, p page) error {
	s := w.expandRows(p, 0, p.rows)
	if s.hash != t.hash {
		w.slots, w.expanded = append(w.slots, w.expanded...), w.expanded[:0]
		p, err := w.recompute(*t, nil)
		if err != nil {
			return err
		}
		s = w.expandRows(p, 0, p.rows)
	}
	t.ref = s.ref
	return nil
}

// expandRows creates the nodes above the rows [lo, hi) of a page.
func (w *worker) expandRows(p page, lo, hi int) subtree {
	if hi-lo == 1 {
		return subtree{hash: p.hash(lo), ref: leaf}
	}
	at := p.split(lo, hi)
	left, right := w.expandRows(p, lo, at+1), w.expandRows(p, at+1, hi)
	r := w.newSlot()
	w.expanded = append(w.expanded, r)
	*w.dir.node(r) = node{
		hash:  [2]Hash{left.hash, right.hash},
		child: [2]ref{left.ref, right.ref},
		crit:  uint16(p.crit(at)),
		edge:  [2]edge{p.edge(at, 0), p.edge(at, 1)},
	}
	return subtree{hash: InnerHash(left.hash, right.hash), ref: r}
}
