package rpc

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"makechain/internal/schema"
)

// load reads the row at a key into a new T, nil when there is none.
func load[T any, P interface {
	*T
	proto.Message
}](s Snapshot, key []byte) (*T, error) {
	value, err := s.Get(key)
	if err != nil || value == nil {
		return nil, err
	}
	row := new(T)
	if err := schema.Decode(value, P(row)); err != nil {
		return nil, fmt.Errorf("row %x: %w", key, err)
	}
	return row, nil
}

// read runs a read on the latest snapshot.
func read[T any](service *Service, do func(Snapshot) (T, error)) (T, error) {
	s := service.Latest()
	answer, err := do(s)
	if closed := s.Close(); err == nil {
		err = closed
	}
	return answer, err
}
