package merkletest

import (
	"bytes"
	"errors"
	"slices"
	"sync"
)

// Pages is a page store in memory. It implements merkle.PageStore.
type Pages struct {
	// Full makes Append fail.
	Full bool

	mu       sync.Mutex // guards what follows
	pages    [][]byte   // nil for freed ones
	appended int        // pages up to here can be read
	sparse   bool
}

// Errors of Pages.
var (
	ErrPageStoreFull = errors.New("page store is full")
	ErrNoPage        = errors.New("no such page")
)

// Append implements merkle.PageStore.
func (p *Pages) Append(page []byte) (uint32, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Full {
		return 0, ErrPageStoreFull
	}
	p.pages = append(p.pages, bytes.Clone(page))
	return uint32(len(p.pages) - 1), nil
}

// Flush implements merkle.PageStore.
func (p *Pages) Flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.appended = len(p.pages)
	return nil
}

// Read implements merkle.PageStore. The page is followed by other bytes.
func (p *Pages) Read(number uint32, buf []byte) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if int(number) >= p.appended || p.pages[number] == nil {
		return nil, ErrNoPage
	}
	n := copy(buf, p.pages[number])
	n += copy(buf[n:], "other bytes")
	return buf[:n], nil
}

// Free implements merkle.PageStore. It panics when a page is freed twice.
func (p *Pages) Free(numbers []uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range numbers {
		if p.pages[n] == nil {
			panic("merkletest: a page was freed twice") // invariant: a version frees its pages once
		}
		p.pages[n] = nil
	}
}

// Sparse implements merkle.PageStore.
func (p *Pages) Sparse(uint32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sparse
}

// SetSparse sets the result of Sparse.
func (p *Pages) SetSparse(sparse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sparse = sparse
}

// Live returns the numbers of the pages that were not freed.
func (p *Pages) Live() []uint32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	var live []uint32
	for n, page := range p.pages {
		if page != nil {
			live = append(live, uint32(n))
		}
	}
	return live
}

// Damage replaces the bytes of a page by the result of change.
func (p *Pages) Damage(number uint32, change func(page []byte) []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if damaged := change(slices.Clone(p.pages[number])); damaged != nil {
		p.pages[number] = damaged
	} else {
		p.pages[number] = []byte{}
	}
}
