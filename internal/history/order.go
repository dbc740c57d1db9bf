package history

import (
	"container/heap"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// Graph is a commit and its ancestors, which are read when they are needed.
type Graph struct {
	tip     message.Hash
	commits map[message.Hash]*pb.CommitMeta
	// next reads more ancestors and returns them, or nil if it has read all commits of the project instead. It is nil if all
	// were read. Ancestors are read after their descendants.
	next func() ([]*pb.CommitMeta, error)
}

// Walk calls visit with each commit in order. It stops at the first error and returns it. It reads only as many ancestors as
// it needs for the order of those that it visits.
func (g *Graph) Walk(visit func(*pb.CommitMeta) error) error {
	w := walk{Graph: g, children: g.children(), queued: map[message.Hash]bool{}}
	w.add(g.tip)
	for w.ready.Len() > 0 {
		commit := w.ready.next()
		if err := visit(commit); err != nil {
			return err
		}
		if err := w.leave(commit); err != nil {
			return err
		}
	}
	return nil
}

// walk is the state of a call of Walk.
type walk struct {
	*Graph

	children map[message.Hash]int // the numbers of children that were read and not visited
	visited  []*pb.CommitMeta
	queued   map[message.Hash]bool
	ready    queue
}

// add adds a commit that was read to the queue, once.
func (w *walk) add(hash message.Hash) {
	if commit := w.commits[hash]; commit != nil && !w.queued[hash] {
		w.queued[hash] = true
		w.ready.add(commit)
	}
}

// leave adds the parents of a visited commit whose children have all been visited to the queue. A parent that was not read
// may have more children and any date, so it is read first.
func (w *walk) leave(commit *pb.CommitMeta) error {
	w.visited = append(w.visited, commit)
	var last []message.Hash // parents of which this is the last child that was read
	for _, parent := range commit.GetParents() {
		hash := message.Hash(parent)
		if w.children[hash]--; w.children[hash] == 0 {
			last = append(last, hash)
		}
	}
	for _, parent := range last {
		for w.commits[parent] == nil && w.next != nil {
			ancestors, err := w.next()
			if err != nil {
				return err
			}
			w.count(ancestors)
		}
	}
	for _, parent := range last {
		if w.children[parent] == 0 {
			w.add(parent)
		}
	}
	return nil
}

// count counts commits that were read as children of their parents.
func (w *walk) count(ancestors []*pb.CommitMeta) {
	if ancestors == nil { // there are commits that are not ancestors
		w.children = w.Graph.children()
		for _, commit := range w.visited {
			w.addChildren(commit, -1)
		}
	}
	for _, commit := range ancestors {
		w.addChildren(commit, 1)
	}
}

func (w *walk) addChildren(commit *pb.CommitMeta, number int) {
	for _, parent := range commit.GetParents() {
		w.children[message.Hash(parent)] += number
	}
}

// children returns the number of children of every commit that is reachable from the tip. A commit with the same parent
// twice counts twice.
func (g *Graph) children() map[message.Hash]int {
	count := make(map[message.Hash]int, len(g.commits))
	for stack := []message.Hash{g.tip}; len(stack) > 0; {
		commit := g.commits[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		for _, parent := range commit.GetParents() {
			hash := message.Hash(parent)
			if count[hash]++; count[hash] == 1 && g.commits[hash] != nil {
				stack = append(stack, hash)
			}
		}
	}
	return count
}

// MissingParents returns the number of parents that the project does not have.
func (g *Graph) MissingParents() int {
	missing := map[string]bool{}
	reached := g.children()
	for hash, commit := range g.commits {
		if reached[hash] == 0 && hash != g.tip {
			continue
		}
		for _, parent := range commit.GetParents() {
			if g.commits[message.Hash(parent)] == nil {
				missing[string(parent)] = true
			}
		}
	}
	return len(missing)
}

// queue contains the commits whose children have all been visited, the newest author date first, and commits of equal
// dates in the order in which they were added, as in git.
type queue struct {
	entries []entry
	added   int
}

type entry struct {
	commit *pb.CommitMeta
	number int
}

func (q *queue) add(commit *pb.CommitMeta) {
	q.added++
	heap.Push(q, entry{commit, q.added})
}

func (q *queue) next() *pb.CommitMeta {
	return heap.Pop(q).(entry).commit //nolint:forcetypeassert // only add pushes
}

// Len is part of heap.Interface, like the methods below.
func (q *queue) Len() int { return len(q.entries) }

func (q *queue) Less(i, j int) bool {
	a, b := q.entries[i], q.entries[j]
	if x, y := a.commit.GetAuthorTimestamp(), b.commit.GetAuthorTimestamp(); x != y {
		return x > y
	}
	return a.number < b.number
}

func (q *queue) Swap(i, j int) { q.entries[i], q.entries[j] = q.entries[j], q.entries[i] }

func (q *queue) Push(x any) {
	q.entries = append(q.entries, x.(entry)) //nolint:forcetypeassert // only add pushes
}

func (q *queue) Pop() any {
	last := q.entries[len(q.entries)-1]
	q.entries = q.entries[:len(q.entries)-1]
	return last
}
