package rpc

import (
	"bytes"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"

	"makechain/internal/ident"
	"makechain/internal/schema"
)

// read runs a read on the latest snapshot, from which all of an answer comes (P10.6).
func read[T any](service *Service, do func(Snapshot) (T, error)) (answer T, err error) {
	s := service.Latest()
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	return do(s)
}

// height is the number of the latest block whose state is served.
func (s *Service) height() (uint64, error) {
	return read(s, func(snapshot Snapshot) (uint64, error) { return snapshot.Height(), nil })
}

// rowOf is a pointer to a row's value.
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

// scan visits the rows with lower <= key < upper until visit returns false or fails. What visit is given is its
// own to keep.
func scan[T any, P rowOf[T]](s Snapshot, lower, upper []byte, visit func(key *schema.Key, row P) (bool, error)) error {
	var failed error
	err := s.Scan(lower, upper, func(key, value []byte) (more bool) {
		parsed, err := schema.ParseKey(bytes.Clone(key)) // a name in it is a part of what is parsed
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

// Readers of the fixed-size fields of rows. What the ledger wrote has the right size; a row that does not is
// damaged.

func addressIn(value []byte) (ident.Address, error) {
	a, ok := ident.AddressFrom(value)
	if !ok {
		return a, fmt.Errorf("an address of %d bytes is stored", len(value))
	}
	return a, nil
}

func hashIn(value []byte) (ident.Hash, error) {
	h, ok := ident.HashFrom(value)
	if !ok {
		return h, fmt.Errorf("a hash of %d bytes is stored", len(value))
	}
	return h, nil
}

// saturated is a count as far as the wire can carry it.
func saturated(n uint64) uint32 { return uint32(min(n, math.MaxUint32)) }
