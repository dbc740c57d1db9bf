package merkle_test

import (
	"bytes"
	"errors"
	"testing"

	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
)

// TestBuildRefusals checks that Build returns the error of a scan that fails, and refuses rows that are out of order or
// have too long a key.
//
// Rules: T2/start.
func TestBuildRefusals(t *testing.T) {
	t.Parallel()
	errDisk := errors.New("disk failure")
	many := merkletest.NewRows(randomRows(1, 20_000)...)
	after := func(key []byte, err error) merkle.Scan {
		return func(visit func(key, value []byte) error) error {
			if err := many.All(visit); err != nil {
				return err
			}
			return errors.Join(visit(key, nil), err)
		}
	}
	tests := []struct {
		name string
		scan merkle.Scan
		want error
	}{
		{"failing scan", after(bytes.Repeat([]byte{0xff}, 40), errDisk), errDisk},
		{"out of order", after([]byte{0}, nil), merkle.ErrOrder},
		{"a key twice", after(many.List()[many.Len()-1].Key, nil), merkle.ErrOrder},
		{"long key", after(bytes.Repeat([]byte{0xff}, merkle.MaxKeySize+1), nil), merkle.ErrKeySize},
		{"out of order and long", func(visit func(key, value []byte) error) error {
			return errors.Join(visit([]byte{1}, nil), visit([]byte{0}, nil), many.All(visit))
		}, merkle.ErrOrder},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree := merkle.New(2)
			if _, err := tree.Build(test.scan); !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			if n := tree.Nodes(); n != 0 {
				t.Errorf("%d nodes remain", n)
			}
		})
	}
}
