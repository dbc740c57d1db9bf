package store

import (
	"errors"
	"sync"
	"syscall"
)

// regionBytes is the size of one mapping. Pages become resident when they are first written.
const regionBytes = 64 << 20

// memory allocates memory outside the Go heap, in huge pages where the system has them: with small pages, traversing a
// large tree is limited by TLB misses.
type memory struct {
	mu      sync.Mutex // guards all below
	regions [][]byte
	free    []byte // unused part of the last region
}

// take returns zeroed memory, from the heap if mapping fails.
func (m *memory) take(bytes int) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.free) < bytes {
		region, err := syscall.Mmap(-1, 0, max(bytes, regionBytes), syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			return make([]byte, bytes)
		}
		// The tree works without huge pages, only slower.
		_ = syscall.Madvise(region, syscall.MADV_HUGEPAGE)
		m.regions, m.free = append(m.regions, region), region
	}
	taken := m.free[:bytes:bytes]
	m.free = m.free[bytes:]
	return taken
}

// release unmaps all memory. It must no longer be used.
func (m *memory) release() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, region := range m.regions {
		errs = append(errs, syscall.Munmap(region))
	}
	m.regions, m.free = nil, nil
	return errors.Join(errs...)
}
