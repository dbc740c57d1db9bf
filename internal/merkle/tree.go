package merkle

import "sync"

// Tree holds the nodes of all versions. Its methods may be called by several goroutines.
type Tree struct {
	parallelism int
	arena       arena

	mu sync.Mutex // guards the fields of versions that say so
}

// New makes a tree that spreads large updates over as many goroutines as parallelism says, at least one.
func New(parallelism int) *Tree {
	return &Tree{parallelism: max(1, parallelism)}
}

// NewWithAllocator returns a tree whose nodes are stored in memory that alloc returns. A large tree on the Go heap
// would raise the heap size at which the garbage collector starts.
func NewWithAllocator(alloc Allocator, parallelism int) *Tree {
	t := New(parallelism)
	t.arena.alloc = alloc
	return t
}

// Empty returns a version without rows. The caller holds a reference to it.
func (t *Tree) Empty() *Version {
	return &Version{tree: t, root: subtree{ref: empty, hash: EmptyRoot(), edge: noEdge}, refs: 1}
}

// Nodes returns how many inner nodes are held for all versions together.
func (t *Tree) Nodes() int { return t.arena.live() }
