package store

import (
	"errors"
	"sync"
	"syscall"
)

// regionBytes is how much address space is mapped at a time. Pages become resident when they are first written.
const regionBytes = 64 << 20

// memory hands out memory outside the heap, in huge pages where the system has them: walks through a large tree are
// bound by address translation otherwise.
type memory struct {
	mu      sync.Mutex // guards all below
	regions [][]byte
	free    []byte // the rest of the last region
}

// take returns zeroed memory, from the heap if the system gives none.
func (m *memory) take(bytes int) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.free) < bytes {
		region, err := syscall.Mmap(-1, 0, max(bytes, regionBytes), syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			return make([]byte, bytes)
		}
		// Without huge pages the tree is slower and just as right.
		_ = syscall.Madvise(region, syscall.MADV_HUGEPAGE)
		m.regions, m.free = append(m.regions, region), region
	}
	taken := m.free[:bytes:bytes]
	m.free = m.free[bytes:]
	return taken
}

// release gives all memory back. Nobody may use it any more.
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
