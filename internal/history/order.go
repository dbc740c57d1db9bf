package history

import (
	"container/heap"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// Graph is a commit and its ancestors.
type Graph struct {
	tip     message.Hash
	commits map[message.Hash]*pb.CommitMeta
}

// parents returns the parents of a commit that are in the graph, in their order.
func (g *Graph) parents(commit *pb.CommitMeta) []message.Hash {
	var present []message.Hash
	for _, parent := range commit.GetParents() {
		if hash := message.Hash(parent); g.commits[hash] != nil {
			present = append(present, hash)
		}
	}
	return present
}

// Walk calls visit with each commit in order. It stops at the first error and returns it.
func (g *Graph) Walk(visit func(*pb.CommitMeta) error) error {
	children := g.children()
	ready := &queue{}
	ready.add(g.commits[g.tip])
	for ready.Len() > 0 {
		commit := ready.next()
		if err := visit(commit); err != nil {
			return err
		}
		for _, parent := range g.parents(commit) {
			if children[parent]--; children[parent] == 0 {
				ready.add(g.commits[parent])
			}
		}
	}
	return nil
}

// children returns the number of children of every commit that is reachable from the tip. A commit with the same parent
// twice counts twice.
func (g *Graph) children() map[message.Hash]int {
	count := make(map[message.Hash]int, len(g.commits))
	for stack := []message.Hash{g.tip}; len(stack) > 0; {
		commit := g.commits[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		for _, parent := range g.parents(commit) {
			if count[parent]++; count[parent] == 1 {
				stack = append(stack, parent)
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
