// Package capture provides a buffer for the output of a program under test, which tests can read while it is written.
package capture

import (
	"bytes"
	"sync"
)

// Buffer is a buffer that is safe for concurrent use. The zero value is empty.
type Buffer struct {
	mu      sync.Mutex
	written bytes.Buffer // guarded by mu
}

// Write appends to the buffer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.written.Write(p)
}

// String returns everything that was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.written.String()
}
