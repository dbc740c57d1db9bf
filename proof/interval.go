package proof

import (
	"bytes"
	"fmt"

	ics23 "github.com/cosmos/ics23/go"

	"makechain/internal/schema"
)

// interval is the range of keys of a range proof: the keys with a prefix, from the first or after a key.
type interval struct {
	prefix []byte
	after  []byte // has the prefix; nil for the first key
}

func (iv interval) contains(key []byte) bool {
	return bytes.HasPrefix(key, iv.prefix) && !iv.before(key)
}

// before reports whether key is less than all keys of the interval.
func (iv interval) before(key []byte) bool {
	if iv.after != nil {
		return bytes.Compare(key, iv.after) <= 0
	}
	return bytes.Compare(key, iv.prefix) < 0
}

// start returns the least possible key of the interval.
func (iv interval) start() []byte {
	if iv.after != nil {
		return append(bytes.Clone(iv.after), 0)
	}
	return iv.prefix
}

// beyond reports whether key is greater than all keys of the interval.
func (iv interval) beyond(key []byte) bool {
	return bytes.Compare(key, iv.prefix) > 0 && !bytes.HasPrefix(key, iv.prefix)
}

// entry is a row of a response with its proof.
type entry interface {
	GetKey() []byte
	GetValue() []byte
	GetProof() []byte
}

// readRun decodes the rows of an interval and their neighbours on either side; an empty proof means no neighbour.
func readRun[E entry](iv interval, lower []byte, entries []E, upper []byte) (*run, error) {
	size := len(lower) + len(upper)
	for _, e := range entries {
		size += len(e.GetKey()) + len(e.GetValue()) + len(e.GetProof())
	}
	if size > MaxAnswerSize {
		return nil, failed(StepBounds, "proofs have %d bytes, at most %d", size, MaxAnswerSize)
	}
	r := &run{rows: make([]*ics23.ExistenceProof, len(entries))}
	var err error
	if r.lower, err = decodeBound(lower, iv.before); err != nil {
		return nil, within("lower bound", err)
	}
	if r.upper, err = decodeBound(upper, iv.beyond); err != nil {
		return nil, within("upper bound", err)
	}
	for i, e := range entries {
		if r.rows[i], err = decodeEntry(e, iv); err != nil {
			return nil, within(fmt.Sprintf("entry %d", i), err)
		}
	}
	return r, nil
}

// decodeBound decodes the proof of a neighbour, which must be outside the interval on its side.
func decodeBound(proof []byte, outside func(key []byte) bool) (*ics23.ExistenceProof, error) {
	if len(proof) == 0 {
		return nil, nil
	}
	row, err := decodeExistence(proof)
	if err != nil {
		return nil, err
	}
	if !outside(row.Key) {
		return nil, failed(StepOrder, "%x is on the wrong side", row.Key)
	}
	return row, nil
}

func decodeEntry(e entry, iv interval) (*ics23.ExistenceProof, error) {
	row, err := decodeExistence(e.GetProof())
	switch {
	case err != nil:
		return nil, err
	case !bytes.Equal(row.Key, e.GetKey()):
		return nil, failed(StepKey, "proof is for %x, the entry for %x", row.Key, e.GetKey())
	case !bytes.Equal(row.Value, e.GetValue()):
		return nil, failed(StepValue, "proof is for another value than the entry's")
	case !iv.contains(row.Key):
		return nil, failed(StepOrder, "%x is not in the range", row.Key)
	}
	return row, nil
}

// provenRow is a row with its existence proof; the zero value means no row.
type provenRow struct{ key, value, proof []byte }

func (r *provenRow) size() int { return len(r.key) + len(r.value) + len(r.proof) }

// provenRows are the rows of an interval with their neighbours, or the first of these rows.
type provenRows struct {
	lower, upper provenRow
	rows         []provenRow
	complete     bool // contains all rows, and upper is set
}

// proveInterval returns proofs of the rows of an interval, at most limit and as many as fit into one response.
func proveInterval(src Source, iv interval, limit int) (*provenRows, error) {
	start := iv.start()
	below, above, err := src.Neighbours(start)
	if err != nil {
		return nil, err
	}
	out := new(provenRows)
	if out.lower, err = proveRow(src, below); err != nil {
		return nil, err
	}
	var keys [][]byte // one more than limit, if there are that many
	if err := src.Scan(start, schema.After(iv.prefix), func(key, _ []byte) bool {
		keys = append(keys, bytes.Clone(key))
		return len(keys) <= limit
	}); err != nil {
		return nil, err
	}
	size := out.lower.size() + maxExistenceSize // reserved for the upper bound
	for _, key := range keys[:min(limit, len(keys))] {
		row, err := proveRow(src, key)
		if err != nil {
			return nil, err
		}
		if size += row.size(); size > MaxAnswerSize {
			return out, nil
		}
		out.rows = append(out.rows, row)
	}
	if len(keys) > limit {
		return out, nil
	}
	if len(keys) > 0 {
		if _, above, err = src.Neighbours(keys[len(keys)-1]); err != nil {
			return nil, err
		}
	}
	out.complete = true
	out.upper, err = proveRow(src, above)
	return out, err
}

// proveRow returns the row at a key that exists with its proof; the zero value for a nil key.
func proveRow(src Source, key []byte) (provenRow, error) {
	row, err := existingRow(src, key)
	if err != nil || row == nil {
		return provenRow{}, err
	}
	proof, err := encodeExistence(row)
	return provenRow{key: key, value: row.Value, proof: proof}, err
}
