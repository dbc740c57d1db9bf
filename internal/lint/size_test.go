package lint

import (
	"strings"
	"testing"
)

// TestCheckSize checks files and functions at and over the limits.
func TestCheckSize(t *testing.T) {
	t.Parallel()
	function := func(lines int) string { return "func apply() {\n" + strings.Repeat("\n", lines-2) + "}\n" }
	file := func(lines int) string { return "package ledger\n" + strings.Repeat("\n", lines-1) }
	tests := []struct {
		name, source string
		want         []string
	}{
		{"longest function", "package ledger\n" + function(maxFunctionLines), nil},
		{"longer function", "package ledger\n" + function(maxFunctionLines+1), []string{"block.go:2: apply has 81 lines"}},
		{"longest file", file(maxFileLines), nil},
		{"longer file", file(maxFileLines + 1), []string{"block.go: has 501 lines"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expect(t, CheckSize(fixture(t, "internal/ledger/block.go", test.source)), test.want...)
		})
	}
}
