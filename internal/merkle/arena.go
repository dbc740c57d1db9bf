package merkle

import (
	"sync"
	"unsafe"
)

// node is an inner node. It holds the hashes of its children, so that a walk finds the siblings on its way and a leaf
// needs no memory of its own: 80 bytes a row, and nothing for the garbage collector to follow.
type node struct {
	hash  [2]Hash
	child [2]ref
	crit  uint16 // the bit that leads to child 0 or child 1
	edge  [2]edge
}

// ref names a node by its slot in the arena.
type ref uint32

const (
	leaf  ref = 0         // a row; the slot of that number is never used
	empty ref = 1<<32 - 1 // no rows at all
)

// subtree is what a parent knows of its child.
type subtree struct {
	hash Hash
	ref  ref
	edge edge // from the bit behind the parent's
}

func (n *node) subtree(bit int) subtree {
	return subtree{hash: n.hash[bit], ref: n.child[bit], edge: n.edge[bit]}
}

const (
	chunkBits = 12
	chunkSize = 1 << chunkBits
)

// chunk is a block of slots. Chunks never move, so growing copies nothing and readers are not disturbed.
type chunk [chunkSize]node

// directory finds slots. A version keeps the directory it was made with; a longer one has the same chunks in front.
type directory []*chunk

func (d directory) node(r ref) *node { return &d[r>>chunkBits][r&(chunkSize-1)] }

// Allocator returns memory for nodes. It must be zeroed, aligned to eight bytes and valid for as long as the tree is in
// use.
type Allocator func(bytes int) []byte

// newChunk allocates a chunk. Nodes hold no pointers, so the memory may be outside the Go heap.
func (alloc Allocator) newChunk() *chunk {
	if alloc == nil {
		return new(chunk)
	}
	return (*chunk)(unsafe.Pointer(unsafe.SliceData(alloc(int(unsafe.Sizeof(chunk{}))))))
}

// arena hands out slots and takes them back.
type arena struct {
	alloc Allocator

	mu   sync.Mutex // guards all below
	dir  directory
	used int   // slots ever handed out
	free []ref // slots taken back
}

// take fills slots with unused ones and returns the directory that finds them.
func (a *arena) take(slots []ref) directory {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := copy(slots, a.free[max(0, len(a.free)-len(slots)):])
	a.free = a.free[:len(a.free)-n]
	for ; n < len(slots); n++ {
		if a.used == len(a.dir)*chunkSize {
			a.dir = append(a.dir, a.alloc.newChunk())
		}
		if a.used == int(leaf) {
			a.used++
		}
		slots[n] = ref(a.used)
		a.used++
	}
	return a.dir
}

// give takes back slots that no version reaches.
func (a *arena) give(slots []ref) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.free = append(a.free, slots...)
}

// live returns how many slots are handed out.
func (a *arena) live() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(0, a.used-1) - len(a.free)
}
