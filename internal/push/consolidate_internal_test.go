package push

import "testing"

// TestShouldConsolidate checks after which pushes everything is uploaded again.
func TestShouldConsolidate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		before, uploaded int
		want             bool
	}{
		{0, 0, false},
		{0, 1, false},
		{499, 1, false},
		{500, 0, false},
		{500, 1, true},
		{501, 1, false},
		{502, 1, false},
		{999, 1, false},
		{999, 2, true},
		{1000, 1, true},
		{0, 501, true},
		{0, 500, false},
		{1998, 1, false},
		{2000, 1, true}, // the chain prunes the oldest
		{1801, 1, false},
	} {
		plan := &Plan{contents: test.before, uploaded: test.uploaded}
		if got := plan.ShouldConsolidate(); got != test.want {
			t.Errorf("%d and %d more: %t, want %t", test.before, test.uploaded, got, test.want)
		}
	}
}
