package content

import (
	"context"
	"io"

	"makechain/internal/ident"
)

// Store keeps git bundles by the BLAKE3 digest of their bytes. Its methods may be called concurrently, also by several
// processes.
type Store interface {
	// Has returns the size of the bytes with a digest. The error wraps fs.ErrNotExist if the store does not have them.
	Has(ctx context.Context, digest ident.Hash) (size int64, err error)
	// Get returns length bytes from an offset on, or all of them from there if length is negative. Fewer are returned if the
	// end is reached. The error wraps fs.ErrNotExist if the store does not have the digest. The caller closes the reader.
	Get(ctx context.Context, digest ident.Hash, offset, length int64) (io.ReadCloser, error)
	// Put stores the bytes of a reader. When it returns nil they are durable and have the digest; otherwise nothing is
	// stored. If the store has the digest already, Put returns nil and may leave the reader unread.
	Put(ctx context.Context, digest ident.Hash, r io.Reader) error
}

// Deleter is a store from which the service may delete what it no longer needs.
type Deleter interface {
	// Delete deletes the bytes with a digest, durably, unless somebody else needs them. It returns nil if there are none. It
	// is not called while the digest is being put.
	Delete(ctx context.Context, digest ident.Hash) error
}

// A storeError is an error of a store that is not available or has no space left. Clients receive its status.
type storeError interface {
	error
	StoreStatus() int
}
