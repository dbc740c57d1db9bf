package merkle

// prefetchSize is the number of changes whose walks are done together: enough to keep the memory busy, few enough for
// their nodes to stay in the cache until they are used.
const prefetchSize = 32

// prefetch walks down for all changes of a task at the same time and uses nothing it finds. The nodes of a large tree
// are not in the cache, and a walk has to wait for each before it knows the next; the walks of several changes can wait
// at the same time. The walks may stray where a change leaves the tree, which does no harm.
func (w *worker) prefetch(t task) {
	var at [prefetchSize]ref
	changes := w.changes[t.lo:t.hi]
	for i := range changes {
		at[i] = t.ref
	}
	for walking := true; walking; {
		walking = false
		for i := range changes {
			if at[i] == leaf {
				continue
			}
			n := w.dir.node(at[i])
			at[i] = n.child[bitAt(changes[i].Key, int(n.crit))]
			w.touched ^= n.hash[0][0] // the other cache line of the node
			walking = true
		}
	}
}
