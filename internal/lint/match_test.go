package lint

import "testing"

// TestMatchesPage checks the comparison with equal and with different outputs.
func TestMatchesPage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		page, printed string
		same          bool
	}{
		{"created alice/hello 3fa9c1d2 (block 7)\n", "created alice/hello 81aa90ff (block 12)\n", true},
		{"created alice/hello 3fa9c1d2 (block 7)\n", "created alice/other 81aa90ff (block 12)\n", false},
		{"created alice/hello 3fa9c1d2\n", "created alice/hello nothing\n", false},
		{"id    3fa9c1d2\n", "id  81aa90ff\n", true},
		{"height  8, now\n", "height  8, 2 seconds ago\n", true},
		{"height  8, now\n", "height  9, now\n", false},
		{"height  ..., now\n", "height  9, now\n", true},
		{"height  ..., now\n", "height  , now\n", false},
		{"a\n...\nz\n", "a\nb\nc\nz\n", true},
		{"a\n...\nz\n", "a\nz\n", true},
		{"a\n...\nz\n", "a\nb\n", false},
		{"a\n", "a\nb\n", false},
		{"a\nb\n", "a\n", false},
	} {
		if MatchesPage(test.page, test.printed) != test.same {
			t.Errorf("%q and %q match: %v, want %v", test.page, test.printed, !test.same, test.same)
		}
	}
}
