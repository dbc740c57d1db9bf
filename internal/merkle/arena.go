package merkle

import (
	"sync"
	"unsafe"
)

// node is an inner node. It holds the hashes of its children, so that a descent finds the siblings on its way and a
// leaf needs no memory of its own: 80 bytes per row, without pointers for the garbage collector to follow.
type node struct {
	hash  [2]Hash
	child [2]ref
	crit  uint16 // the position of the bit that selects the child
	edge  [2]edge
}

// ref identifies a node by its slot in the arena, or a page by its number with pageBit.
type ref uint32

const (
	leaf    ref = 0         // a row; the slot with this number is never used
	empty   ref = 1<<32 - 1 // no rows
	pageBit ref = 1 << 31
)

func (r ref) isNode() bool { return r != leaf && r&pageBit == 0 }

func (r ref) isPage() bool { return r&pageBit != 0 && r != empty }

// page returns the number of a page.
func (r ref) page() uint32 { return uint32(r &^ pageBit) }

// subtree is what a parent stores about a child.
type subtree struct {
	hash Hash
	ref  ref
	edge edge // starts at the bit after the parent's
}

func (n *node) subtree(bit int) subtree {
	return subtree{hash: n.hash[bit], ref: n.child[bit], edge: n.edge[bit]}
}

const (
	chunkBits = 12
	chunkSize = 1 << chunkBits
)

// chunk is a block of slots. Chunks never move, so growing the arena copies nothing and does not affect readers.
type chunk [chunkSize]node

// directory lists the chunks by slot number. A version keeps the directory it was created with; a longer directory
// starts with the same chunks.
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

// arena allocates and frees slots.
type arena struct {
	alloc Allocator

	mu        sync.Mutex // guards the fields below
	dir       directory
	used      int   // slots ever allocated
	freeSlots []ref // slots that were freed and can be allocated again
}

// allocate fills slots with unused ones and returns a directory that contains them.
func (a *arena) allocate(slots []ref) directory {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := copy(slots, a.freeSlots[max(0, len(a.freeSlots)-len(slots)):])
	a.freeSlots = a.freeSlots[:len(a.freeSlots)-n]
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

// free returns slots that no version reaches.
func (a *arena) free(slots []ref) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.freeSlots = append(a.freeSlots, slots...)
}

// slotSource takes slots from an arena for one goroutine, many at a time, so that goroutines rarely contend for the arena.
type slotSource struct {
	arena *arena
	dir   directory // contains all slots that were taken
	slots []ref     // taken from the arena and not used yet
}

// slotBatch is the number of slots that are taken from an arena at a time.
const slotBatch = 512

// newSlot returns an unused slot.
func (s *slotSource) newSlot() ref {
	if len(s.slots) == 0 {
		s.slots = make([]ref, slotBatch)
		s.dir = s.arena.allocate(s.slots)
	}
	last := len(s.slots) - 1
	r := s.slots[last]
	s.slots = s.slots[:last]
	return r
}

// close returns the unused slots.
func (s *slotSource) close() {
	s.arena.free(s.slots)
	s.slots = nil
}

// live returns the number of allocated slots.
func (a *arena) live() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(0, a.used-1) - len(a.freeSlots)
}
