package rpc

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"

	"makechain/internal/ident"
	"makechain/internal/schema"
)

// read calls do with the latest snapshot, from which the whole response is read (P10.6). What it reads is charged to the
// client.
func read[T any](ctx context.Context, service *Service, do func(Snapshot) (T, error)) (result T, err error) {
	s := &meteredSnapshot{Snapshot: service.Latest(), ctx: ctx}
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	return do(s)
}

// height returns the number of the latest block whose state is durable.
func (s *Service) height(ctx context.Context) (uint64, error) {
	return read(ctx, s, func(snapshot Snapshot) (uint64, error) { return snapshot.Height(), nil })
}

// rowOf is a pointer to the value of a row.
type rowOf[T any] interface {
	*T
	proto.Message
}

// load reads the row at a key into a new T, nil when there is none.
func load[T any, P rowOf[T]](s Snapshot, key []byte) (P, error) {
	value, err := s.Get(key)
	if err != nil || value == nil {
		return nil, err
	}
	row := P(new(T))
	if err := schema.Decode(value, row); err != nil {
		return nil, fmt.Errorf("row %x: %w", key, err)
	}
	return row, nil
}

// scan visits the rows with lower <= key < upper until visit returns false or an error. Visit may keep its arguments.
func scan[T any, P rowOf[T]](s Snapshot, lower, upper []byte, visit func(key *schema.Key, row P) (bool, error)) error {
	var failed error
	err := s.Scan(lower, upper, func(key, value []byte) (more bool) {
		parsed, err := schema.ParseKey(bytes.Clone(key)) // the parsed key refers to it
		row := P(new(T))
		if err == nil {
			err = schema.Decode(value, row)
		}
		if err == nil {
			more, err = visit(&parsed, row)
		}
		if err != nil {
			failed = fmt.Errorf("row %x: %w", key, err)
		}
		return more && failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// The functions below read fixed-size fields of rows. A field of another size means that the row is corrupt.

func addressIn(value []byte) (ident.Address, error) {
	a, ok := ident.AddressFrom(value)
	if !ok {
		return a, fmt.Errorf("stored address has %d bytes", len(value))
	}
	return a, nil
}

func hashIn(value []byte) (ident.Hash, error) {
	h, ok := ident.HashFrom(value)
	if !ok {
		return h, fmt.Errorf("stored hash has %d bytes", len(value))
	}
	return h, nil
}

// saturated returns n, or the largest uint32 if n is larger.
func saturated(n uint64) uint32 { return uint32(min(n, math.MaxUint32)) }
