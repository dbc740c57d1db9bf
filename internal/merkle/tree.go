// Package merkle implements the state tree: a binary crit-bit Merkle tree over the rows of the state.
//
// The root depends only on the set of rows, not on the order or the batches in which they were written, nor on the
// number of cores (T1.1). Keys and values are not held in memory: a node stores the bit at which its two children
// differ, their hashes, and the first bits of the edge to each child. An update descends by the bits of the key. A new
// row is positioned by the stored edge bits and reads stored rows only where those bits do not suffice, so that most
// updates read nothing from disk.
//
// The tree is persistent. An update leaves its base version unchanged and returns a new version that shares the
// unchanged nodes. A Version is immutable: any number of goroutines may read it while the next one is computed. The
// nodes that only one version uses are freed when that version is released.
package merkle

import "sync"

// Tree holds the nodes of all versions. Its methods may be called by several goroutines.
type Tree struct {
	parallelism int
	arena       arena

	mu sync.Mutex // guards the reference fields of all versions
}

// New returns a tree that spreads large updates over up to parallelism goroutines, at least one.
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

// Empty returns a version without rows. The caller must release it.
func (t *Tree) Empty() *Version {
	return &Version{tree: t, root: subtree{ref: empty, hash: EmptyRoot(), edge: noEdge}, refs: 1}
}

// Nodes returns the number of inner nodes held for all versions.
func (t *Tree) Nodes() int { return t.arena.live() }
