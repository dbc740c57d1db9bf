package schema

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Encode returns the canonical value of a row. A row whose fields are all zero has an empty value and is not stored.
func Encode(row proto.Message) ([]byte, error) {
	value, err := proto.MarshalOptions{Deterministic: true}.Marshal(row)
	if err != nil {
		return nil, fmt.Errorf("encode row %s: %w", row.ProtoReflect().Descriptor().Name(), err)
	}
	return value, nil
}

// Decode decodes a row's value into row.
func Decode(value []byte, row proto.Message) error {
	if err := proto.Unmarshal(value, row); err != nil {
		return fmt.Errorf("decode row %s: %w", row.ProtoReflect().Descriptor().Name(), err)
	}
	return nil
}

// Timestamp returns field 1 of a row, where rows that can have a tombstone, tombstones and prune markers have their
// timestamp.
func Timestamp(value []byte) (uint32, error) {
	num, typ, n := protowire.ConsumeTag(value)
	if n < 0 || num != 1 || typ != protowire.VarintType {
		return 0, fmt.Errorf("row %x does not start with a timestamp", value)
	}
	v, m := protowire.ConsumeVarint(value[n:])
	if m < 0 || v > uint64(^uint32(0)) {
		return 0, fmt.Errorf("row %x has a bad timestamp", value)
	}
	return uint32(v), nil
}

// Fields of the block number in rows that contain one.
const (
	CommitBlockField  = 9
	ContentBlockField = 2
)

// WithBlock returns the value of a row with another block number, which is a varint in the given field.
func WithBlock(value []byte, blockField protowire.Number, block uint64) ([]byte, error) {
	for at := 0; at < len(value); {
		field, kind, n := protowire.ConsumeTag(value[at:])
		if n < 0 {
			break
		}
		at += n
		if n = protowire.ConsumeFieldValue(field, kind, value[at:]); n < 0 {
			break
		}
		if field == blockField && kind == protowire.VarintType {
			changed := make([]byte, 0, len(value)-n+protowire.SizeVarint(block))
			changed = protowire.AppendVarint(append(changed, value[:at]...), block)
			return append(changed, value[at+n:]...), nil
		}
		at += n
	}
	return nil, fmt.Errorf("row %x has no block number in field %d", value, blockField)
}
