// Package capture keeps what a program under test writes, from any of its goroutines, for the test to read meanwhile.
package capture

import (
	"bytes"
	"sync"
)

// Buffer is a writer. The zero value is empty.
type Buffer struct {
	mu      sync.Mutex
	written bytes.Buffer // guarded by mu
}

// Write keeps bytes.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.written.Write(p)
}

// String is all that was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.written.String()
}
