package ledgertest_test

import (
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
)

// TestRowsRefuseFalseChanges checks that Apply refuses changes that a ledger must never return.
func TestRowsRefuseFalseChanges(t *testing.T) {
	t.Parallel()
	rows := ledgertest.NewRows()
	if err := rows.Apply([]schema.Change{{Key: []byte("a"), Value: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		changes []schema.Change
		want    string
	}{
		"existing row as new":       {[]schema.Change{{Key: []byte("a"), Value: []byte("y")}}, "has existed = false"},
		"new row as existing":       {[]schema.Change{{Key: []byte("b"), Value: []byte("y"), Existed: true}}, "has existed = true"},
		"unchanged value":           {[]schema.Change{{Key: []byte("a"), Value: []byte("x"), Existed: true}}, "changes nothing"},
		"deletion of a missing row": {[]schema.Change{{Key: []byte("b")}}, "changes nothing"},
		"empty":                     {[]schema.Change{{Key: []byte("b"), Value: []byte{}}}, "stores an empty row"},
		"out of order":              {[]schema.Change{{Key: []byte("c"), Value: []byte("x")}, {Key: []byte("b"), Value: []byte("x")}}, "comes after"},
		"twice":                     {[]schema.Change{{Key: []byte("b"), Value: []byte("x")}, {Key: []byte("b"), Value: []byte("y")}}, "comes after"},
	} {
		if err := rows.Apply(c.changes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if rows.Len() != 1 {
		t.Errorf("%d rows after refused changes", rows.Len())
	}
	if err := rows.Apply([]schema.Change{{Key: []byte("a"), Existed: true}}); err != nil || rows.Len() != 0 {
		t.Errorf("%d rows after the last one was deleted, error %v", rows.Len(), err)
	}
}

// TestRowsScanInOrder checks scans of closed and open ranges, and that a scan stops when the callback returns false.
func TestRowsScanInOrder(t *testing.T) {
	t.Parallel()
	rows := ledgertest.NewRows()
	for _, key := range []string{"c", "a", "b", "d"} {
		if err := rows.Put([]byte(key), &pb.CounterRow{Count: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		lower, upper []byte
		most         int
		want         string
	}{
		{nil, nil, 9, "abcd"}, {[]byte("b"), []byte("d"), 9, "bc"}, {[]byte("b"), nil, 2, "bc"}, {[]byte("x"), nil, 9, ""},
	} {
		got := ""
		err := rows.Scan(c.lower, c.upper, func(key, _ []byte) bool {
			got += string(key)
			return len(got) < c.most
		})
		if err != nil || got != c.want {
			t.Errorf("from %q to %q: %q, error %v, want %q", c.lower, c.upper, got, err, c.want)
		}
	}
}
