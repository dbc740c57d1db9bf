// Package merkle implements the state tree: a binary crit-bit Merkle tree over the rows of the state.
//
// The root depends only on the set of rows, not on the order or the batches in which they were written, nor on the
// number of cores (T1.1). Keys and values are not held in memory: a node stores the bit at which its two children
// differ, their hashes, and the first bits of the edge to each child. An update descends by the bits of the key. A new
// row is positioned by the stored edge bits and reads stored rows only where those bits do not suffice, so that most
// updates read nothing from disk.
//
// A tree with a page store keeps only part of its nodes in memory: Evict replaces subtrees of at most PageRows rows by
// pages, which hold the hashes of their rows. An update that reaches a page reads it and expands it to nodes again. They stay
// in memory if there is room; otherwise most of them become another page at once. A page is only a cache of the rows: it is
// verified against the hash in its parent whenever it is used, and one that is damaged or missing is computed again from
// the rows.
//
// The tree is persistent. An update leaves its base version unchanged and returns a new version that shares the
// unchanged nodes. A Version is immutable: any number of goroutines may read it while the next one is computed. The
// nodes that only one version uses are freed when that version is released.
package merkle

import (
	"sync"
	"sync/atomic"
)

// Options configure a tree. The zero value is a tree in memory.
type Options struct {
	// Parallelism is the number of goroutines over which large updates are spread, at least one.
	Parallelism int
	// Alloc returns the memory of nodes; nil means the Go heap. A large tree on the Go heap would raise the heap size at
	// which the garbage collector starts.
	Alloc Allocator
	// Pages stores the pages. If it is nil, all nodes stay in memory.
	Pages PageStore
	// MemoryRows is the number of rows above which Evict moves rows to pages.
	MemoryRows int
	// Damaged is called for each page that could not be read and was computed again from the rows. It may be nil.
	Damaged func(number uint32, reason error)
}

// Tree holds the nodes of all versions. Its methods may be called by several goroutines.
type Tree struct {
	options   Options
	arena     arena
	livePages atomic.Int64
	buffers   sync.Pool // of *[MaxPageSize]byte

	evicting sync.Mutex // held by Evict and Build; guards cursor
	cursor   bitPath    // where the next call of Evict continues

	// Of updates since the last call of Evict.
	changedPages atomic.Int64          // pages that were changed
	writeError   atomic.Pointer[error] // why pages could not be written, nil if all were

	mu sync.Mutex // guards the reference fields of all versions
}

// New returns a tree in memory that spreads large updates over up to parallelism goroutines, at least one.
func New(parallelism int) *Tree { return NewWithOptions(Options{Parallelism: parallelism}) }

// NewWithOptions returns a tree.
func NewWithOptions(options Options) *Tree {
	options.Parallelism = max(1, options.Parallelism)
	return &Tree{options: options, arena: arena{alloc: options.Alloc}}
}

// Empty returns a version without rows. The caller must release it.
func (t *Tree) Empty() *Version {
	return &Version{tree: t, root: subtree{ref: empty, hash: EmptyRoot(), edge: noEdge}, refs: 1}
}

// Nodes returns the number of inner nodes held for all versions.
func (t *Tree) Nodes() int { return t.arena.live() }

// Pages returns the number of pages that versions reach.
func (t *Tree) Pages() int { return int(t.livePages.Load()) }

// memoryRows returns the number of rows below nodes in memory: a binary tree has one more child that is not a node than it
// has nodes, and those that are not pages are rows.
func (t *Tree) memoryRows() int { return t.Nodes() + 1 - t.Pages() }

// full reports whether there is no room for the nodes of more pages in memory. New rows have room until Evict moves them to
// pages.
func (t *Tree) full() bool {
	limit := t.options.MemoryRows
	return t.options.Pages != nil && t.memoryRows() > limit-limit/16
}

// setWriteError notes the reason for which pages could not be written, for the next call of Evict.
func (t *Tree) setWriteError(err error) {
	if err != nil {
		t.writeError.Store(&err)
	}
}

// pageBuffer returns a buffer for a page.
func (t *Tree) pageBuffer() *[MaxPageSize]byte {
	if buf, ok := t.buffers.Get().(*[MaxPageSize]byte); ok {
		return buf
	}
	return new([MaxPageSize]byte)
}

// free frees nodes and pages that no version reaches. It reorders refs.
func (t *Tree) free(refs []ref) {
	nodes := 0
	for i, r := range refs {
		if !r.isPage() {
			refs[i], refs[nodes] = refs[nodes], refs[i]
			nodes++
		}
	}
	t.arena.free(refs[:nodes])
	if pages := refs[nodes:]; len(pages) > 0 {
		numbers := make([]uint32, len(pages))
		for i, r := range pages {
			numbers[i] = r.page()
		}
		t.options.Pages.Free(numbers)
		t.livePages.Add(-int64(len(pages)))
	}
}
