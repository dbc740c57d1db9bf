package merkle

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMemRows compares the rows in memory with a map.
func TestMemRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		rows := NewMemRows(anyRows(20).Draw(r, "rows")...)
		model := map[string]string{}
		for _, row := range rows.rows {
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

func checkNeighbours(t *rapid.T, rows *MemRows, key []byte) {
	var below, above []byte
	for _, row := range rows.rows {
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

func checkScan(t *rapid.T, rows *MemRows, lower, upper []byte) {
	var got, want [][]byte
	err := rows.Scan(lower, upper, func(key, _ []byte) bool {
		got = append(got, key)
		return true
	})
	for _, row := range rows.rows {
		if bytes.Compare(row.Key, lower) >= 0 && bytes.Compare(row.Key, upper) < 0 {
			want = append(want, row.Key)
		}
	}
	if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
		t.Fatalf("scan from %x to %x gives %x, %v; want %x", lower, upper, got, err, want)
	}
}

// TestBuildRefusals gives scans that fail or whose rows no tree can hold.
//
// Rules: T2/start.
func TestBuildRefusals(t *testing.T) {
	t.Parallel()
	errDisk := errors.New("disk on fire")
	many := NewMemRows(randomRows(1, 20_000)...)
	after := func(key []byte, err error) Scan {
		return func(visit func(key, value []byte) error) error {
			if err := many.All(visit); err != nil {
				return err
			}
			return errors.Join(visit(key, nil), err)
		}
	}
	tests := []struct {
		name string
		scan Scan
		want error
	}{
		{"failing scan", after(bytes.Repeat([]byte{0xff}, 40), errDisk), errDisk},
		{"out of order", after([]byte{0}, nil), ErrOrder},
		{"a key twice", after(many.rows[many.Len()-1].Key, nil), ErrOrder},
		{"long key", after(bytes.Repeat([]byte{0xff}, MaxKeySize+1), nil), ErrKeySize},
		{"out of order and long", func(visit func(key, value []byte) error) error {
			return errors.Join(visit([]byte{1}, nil), visit([]byte{0}, nil), many.All(visit))
		}, ErrOrder},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree := New(2)
			if _, err := tree.Build(test.scan); !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			if n := tree.Nodes(); n != 0 {
				t.Errorf("%d nodes remain", n)
			}
		})
	}
}
