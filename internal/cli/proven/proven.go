// Package proven answers reads from rows of the state that it has verified up to the signatures of trusted validators. It uses the
// code with which a node answers them, so that both answers have the same form.
package proven

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"makechain/client"
	"makechain/internal/rpc"
	"makechain/internal/schema"
	"makechain/proof"
)

// Service returns a service whose reads of state rows are verified. Other methods, such as those that use indexes, blocks or the
// mempool, must not be called. Each row is from the latest block at the time that it was read, so an answer may combine rows of
// several blocks.
func Service(ctx context.Context, c *client.Client) *rpc.Service {
	return rpc.NewService(rpc.Deps{
		Latest: func() rpc.Snapshot { return &rows{ctx: ctx, client: c} },
		Now:    time.Now,
	})
}

// rows reads rows from a node and verifies them.
type rows struct {
	ctx    context.Context //nolint:containedctx // the service reads rows without a context
	client *client.Client
}

// Get returns the value at key, nil when it is proven that there is no such row.
func (r *rows) Get(key []byte) ([]byte, error) {
	value, _, err := r.client.Row(r.ctx, key)
	return value, err
}

// Scan calls fn for every row with lower <= key < upper. The bounds must be those of a prefix, or of the rest of a prefix after a
// key.
func (r *rows) Scan(lower, upper []byte, fn func(key, value []byte) bool) error {
	prefix, after, err := prefixOf(lower, upper)
	if err != nil {
		return err
	}
	for row, err := range r.client.Rows(r.ctx, prefix, after) {
		if err != nil {
			return err
		}
		if !fn(row.GetKey(), row.GetValue()) {
			return nil
		}
	}
	return nil
}

// prefixOf returns the prefix whose rows, after a key, are those with lower <= key < upper.
func prefixOf(lower, upper []byte) (prefix, after []byte, err error) {
	for length := len(lower); length > 0; length-- {
		if !bytes.Equal(schema.After(lower[:length]), upper) {
			continue
		}
		if length == len(lower) {
			return lower, nil, nil
		}
		if last := len(lower) - 1; lower[last] == 0 { // the first key after lower[:last]
			return lower[:length], lower[:last], nil
		}
	}
	return nil, nil, fmt.Errorf("rows from %x to %x are not those of a prefix", lower, upper)
}

var errNotServed = errors.New("only rows are read with proofs")

// Height returns 0: rows are of different blocks.
func (*rows) Height() uint64 { return 0 }

// Len returns 0, because the size of the state is not proven.
func (*rows) Len() int { return 0 }

// Close does nothing.
func (*rows) Close() error { return nil }

// Root returns the zero hash: there is no tree here.
func (*rows) Root() [32]byte { return [32]byte{} }

// Path returns an error: there is no tree here.
func (*rows) Path([]byte) ([]proof.Sibling, error) { return nil, errNotServed }

// Neighbours returns an error: neighbours are part of proofs only.
func (*rows) Neighbours([]byte) (left, right []byte, err error) { return nil, nil, errNotServed }
