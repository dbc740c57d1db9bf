package schema_test

import (
	"bytes"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// TestWithBlock compares values with another block number with the encodings of rows that have it.
func TestWithBlock(t *testing.T) {
	t.Parallel()
	encode := func(row proto.Message) []byte {
		t.Helper()
		value, err := schema.Encode(row)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	commit := func(block uint64) []byte {
		return encode(&pb.CommitRow{
			Parents: [][]byte{{9, 9}, {2}}, TreeRoot: []byte{9}, AuthorTimestamp: 9, Title: "title", BlockNumber: block, BundleTimestamp: 9, JumpDepth: 3,
		})
	}
	content := func(block uint64) []byte { return encode(&pb.ContentRow{Url: "url", BlockNumber: block}) }
	for _, from := range []uint64{1, 127, 128, math.MaxUint64} {
		for _, to := range []uint64{1, 127, 128, 1 << 40} {
			for _, row := range []struct {
				of    func(uint64) []byte
				field protowire.Number
			}{{commit, schema.CommitBlockField}, {content, schema.ContentBlockField}} {
				value := row.of(from)
				got, err := schema.WithBlock(value, row.field, to)
				if err != nil || !bytes.Equal(got, row.of(to)) || !bytes.Equal(value, row.of(from)) {
					t.Errorf("field %d from %d to %d: %x, %v", row.field, from, to, got, err)
				}
			}
			age := schema.CommitAgeKey(ident.Hash{1}, from, ident.Hash{2})
			if got := schema.WithCommitAgeBlock(age, to); !bytes.Equal(got, schema.CommitAgeKey(ident.Hash{1}, to, ident.Hash{2})) {
				t.Errorf("age key from %d to %d: %x", from, to, got)
			}
		}
	}
	for _, bad := range [][]byte{nil, {0x80}, {0x0a, 5, 1}, content(0)} {
		if got, err := schema.WithBlock(bad, schema.ContentBlockField, 1); err == nil {
			t.Errorf("%x: %x, want an error", bad, got)
		}
	}
}
