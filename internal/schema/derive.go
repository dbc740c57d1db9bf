package schema

import (
	"bytes"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Deriver works out the derived rows of a state from its other rows, for a node that was given those alone. The rows
// pass by in ascending order of their keys. The zero value is ready.
type Deriver struct {
	pair []byte // the key whose merge requests pass by, none when empty
	open uint32 // how many of them have
}

// pairSize is the length of what a key under PrefixMergeRequestByRequester shares with others of its pair.
const pairSize = 1 + ident.AddressSize + ident.HashSize

// Add takes the next row and emits what follows from it. What is emitted belongs to the receiver.
func (d *Deriver) Add(key, value []byte, emit func(Change) error) error {
	parsed, err := ParseKey(key)
	if err != nil {
		return err
	}
	switch {
	case parsed.Prefix == PrefixCommit:
		var row pb.CommitRow
		if err := Decode(value, &row); err != nil {
			return fmt.Errorf("row %x: %w", key, err)
		}
		return emit(Change{Key: CommitAgeKey(parsed.Project, row.GetBlockNumber(), parsed.ID), Value: Present})
	case parsed.Prefix == PrefixMergeRequestByRequester:
		return d.count(key[:pairSize], emit)
	case scopeSize(parsed.Prefix) > 0:
		return emitAge(key, value, emit)
	case parsed.Prefix == PrefixTombstone && scopeSize(parsed.Removed.Prefix) > 0:
		return emitAge(key[1:], value, emit)
	default:
		return nil
	}
}

// Finish emits what follows from all rows together. No row comes after it.
func (d *Deriver) Finish(emit func(Change) error) error {
	if d.open == 0 {
		return nil
	}
	value, err := Encode(&pb.CounterRow{Count: d.open})
	if err != nil {
		return err
	}
	pair := key(PrefixMergeRequestPair, d.pair[1:])
	d.open = 0
	return emit(Change{Key: pair, Value: value})
}

// count counts a merge request, and emits the count of the pair before when this is the first of another.
func (d *Deriver) count(pair []byte, emit func(Change) error) error {
	if !bytes.Equal(pair, d.pair) {
		if err := d.Finish(emit); err != nil {
			return err
		}
		d.pair = append(d.pair[:0], pair...)
	}
	d.open++
	return nil
}

// emitAge places a member of a set by the timestamp that its row or its tombstone has.
func emitAge(active, value []byte, emit func(Change) error) error {
	timestamp, err := Timestamp(value)
	if err != nil {
		return err
	}
	return emit(Change{Key: AgeKey(active, timestamp), Value: Present})
}
