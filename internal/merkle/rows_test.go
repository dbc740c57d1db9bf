package merkle_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"makechain/internal/merkle/merkletest"
)

// TestRowsInMemory compares merkletest.Rows with a map.
func TestRowsInMemory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		rows := merkletest.NewRows(anyRows(20).Draw(r, "rows")...)
		model := map[string]string{}
		for _, row := range rows.List() {
			model[string(row.Key)] = string(row.Value)
		}
		changes := state{nil, rows}.drawChanges(r)
		for _, c := range changes {
			if c.Value == nil {
				delete(model, string(c.Key))
			} else {
				model[string(c.Key)] = string(c.Value)
			}
		}
		rows = rows.Apply(changes)
		if rows.Len() != len(model) {
			r.Fatalf("%d rows, want %d", rows.Len(), len(model))
		}
		key := anyKey().Draw(r, "key")
		value, err := rows.Get(key)
		if want, ok := model[string(key)]; err != nil || (value != nil) != ok || string(value) != want {
			r.Fatalf("row %x is %x, %v; want %x, %v", key, value, err, want, ok)
		}
		checkNeighbours(r, rows, key)
		lower, upper := anyKey().Draw(r, "lower"), anyKey().Draw(r, "upper")
		checkScan(r, rows, lower, upper)
	})
}

func checkNeighbours(t *rapid.T, rows *merkletest.Rows, key []byte) {
	var below, above []byte
	for _, row := range rows.List() {
		switch bytes.Compare(row.Key, key) {
		case -1:
			below = row.Key
		case 1:
			if above == nil {
				above = row.Key
			}
		}
	}
	gotBelow, gotAbove, err := rows.Neighbours(key)
	if err != nil || !bytes.Equal(gotBelow, below) || !bytes.Equal(gotAbove, above) {
		t.Fatalf("neighbours of %x are %x and %x, %v; want %x and %x", key, gotBelow, gotAbove, err, below, above)
	}
}

func checkScan(t *rapid.T, rows *merkletest.Rows, lower, upper []byte) {
	var got, want [][]byte
	err := rows.Scan(lower, upper, func(key, _ []byte) bool {
		got = append(got, key)
		return true
	})
	for _, row := range rows.List() {
		if bytes.Compare(row.Key, lower) >= 0 && bytes.Compare(row.Key, upper) < 0 {
			want = append(want, row.Key)
		}
	}
	if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
		t.Fatalf("scan from %x to %x returns %x, %v; want %x", lower, upper, got, err, want)
	}
}
