package gitid_test

import (
	"strings"
	"testing"

	"makechain/internal/gitid"
)

// TestRoundTrip converts ids of both lengths to hashes and back.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, id := range []string{strings.Repeat("a1", 20), strings.Repeat("a1", 32), strings.Repeat("0", 40)} {
		hash, err := gitid.Parse(id)
		if err != nil {
			t.Fatal(err)
		}
		if got := gitid.String(hash); got != id {
			t.Errorf("%s became %s", id, got)
		}
		if !strings.HasPrefix(hash.String(), id) {
			t.Errorf("the hash %s does not begin with %s", hash, id)
		}
	}
	for _, id := range []string{"", "a1", strings.Repeat("a", 41), strings.Repeat("g", 40), strings.Repeat("a", 66)} {
		if _, err := gitid.Parse(id); err == nil {
			t.Errorf("%q was accepted", id)
		}
	}
}
