package schema

import (
	"bytes"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Deriver computes the derived rows of a state from its other rows, for a node that restores a snapshot. Rows must be
// added in ascending order of their keys. The zero value is ready to use.
type Deriver struct {
	pair []byte // the requester and project whose merge requests are being counted; empty for none
	open uint32 // the count so far
}

// pairSize is the length of the prefix that keys of one requester and project share under PrefixMergeRequestByRequester.
const pairSize = 1 + ident.AddressSize + ident.HashSize

// Add emits the rows derived from the next row. The receiver of emit owns the change.
func (d *Deriver) Add(key, value []byte, emit func(Change) error) error {
	parsed, err := ParseKey(key)
	if err != nil {
		return err
	}
	switch parsed.Prefix {
	case PrefixMergeRequestByRequester:
		return d.count(key[:pairSize], emit)
	case PrefixClosedMergeRequest:
		return addClosed(&parsed, value, emit)
	case PrefixProject:
		var row pb.ProjectRow
		if err := Decode(value, &row); err != nil {
			return fmt.Errorf("row %x: %w", key, err)
		}
		if row.GetStatus() != pb.ProjectStatus_PROJECT_STATUS_REMOVED || row.GetSwept() {
			return nil
		}
		return emit(Change{Key: RemovedProjectKey(parsed.Project), Value: Present})
	}
	age, err := AgeOf(key, value)
	if err != nil || age == nil {
		return err
	}
	return emit(Change{Key: age, Value: Present})
}

// addClosed emits the rows derived from a closed merge request.
func addClosed(parsed *Key, value []byte, emit func(Change) error) error {
	var row pb.ClosedMergeRequestRow
	if err := Decode(value, &row); err != nil {
		return fmt.Errorf("row %x: %w", parsed.Bytes(), err)
	}
	age, byRequester, err := ClosedKeys(parsed.Project, parsed.ID, &row)
	if err != nil {
		return err
	}
	if err := emit(Change{Key: age, Value: Present}); err != nil {
		return err
	}
	return emit(Change{Key: byRequester, Value: Present})
}

// Finish emits the last count. No row may be added after it.
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

// count counts a merge request. When it starts another pair, it first emits the count of the previous one.
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
