package output

import (
	"strings"
	"testing"

	"makechain/internal/term"
)

// TestLabels checks that each name is looked up once, and at most maxLabels names.
func TestLabels(t *testing.T) {
	t.Parallel()
	l := newLabels(t.Context(), nil, term.New(new(strings.Builder), term.Options{}))
	asked := 0
	for range 2 {
		for i := range maxLabels + 10 {
			label := l.label([]byte{byte(i), byte(i >> 8)}, func([]byte) (string, bool) { asked++; return "a name", true })
			if known := i < maxLabels; (label == "a name") != known {
				t.Fatalf("%d is called %q", i, label)
			}
		}
	}
	if asked != maxLabels {
		t.Errorf("asked %d times", asked)
	}
}

// TestRef checks that only names which resolve to the same ref are shortened.
func TestRef(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"refs/heads/main": "main", "refs/tags/v1.0": "v1.0", "refs/notes/x": "refs/notes/x", "refs/heads/": "refs/heads/", "main": "main",
		"refs/heads/\x1b[31m": `\x1b[31m`,
	} {
		if got := Ref([]byte(name)); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
