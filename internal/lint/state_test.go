package lint

import "testing"

// TestCheckState checks init functions, panics and package-level variables of a pure package.
func TestCheckState(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, source string
		want         []string
	}{
		{"init", "func init() {}", []string{"has an init function"}},
		{"init method", "type tree struct{}\n\nfunc (tree) init() {}", nil},
		{"panic", "func apply() { panic(1) }", []string{"panics in apply"}},
		{"panic in a closure", "func apply() { func() { panic(1) }() }", []string{"panics in apply"}},
		{"invariant", "func mustApply() { panic(1) }\n\nfunc invariantHolds() { panic(1) }", nil},
		{"panic with a reason", "func Fatalf() {\n\tpanic(1) // invariant: must not return\n}", nil},
		{"variable", "var cache map[string]int", []string{"package-level variable cache"}},
		{"error", "import \"errors\"\n\nvar errX error = errors.New(\"x\")", nil},
		{"assertion", "var _ interface{} = 1", nil},
		{"table", "// powers of two. read-only: the language has no constant arrays.\nvar powers = [2]int{1, 2}", nil},
		{"table in a group", "var (\n\tpowers = [2]int{1, 2} // read-only: no constant arrays\n\tother = 1\n)", []string{"package-level variable other"}},
		{"write", "// read-only: table.\nvar powers = [2]int{}\n\nfunc apply() { powers[1] = 2 }", []string{"writes the package-level variable powers"}},
		{"increment", "// read-only: table.\nvar count int\n\nfunc apply() { count++ }", []string{"writes the package-level variable count"}},
		{"deletion", "// read-only: table.\nvar rows map[int]int\n\nfunc apply() { delete(rows, 1) }", []string{"writes the package-level variable rows"}},
		{"local", "func apply() { powers := [2]int{}; powers[1] = 2; _ = powers }", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			source := "package ledger\n\n" + test.source + "\n"
			expect(t, CheckState(fixture(t, "internal/ledger/block.go", source)), test.want...)
			expect(t, CheckState(fixture(t, "internal/ledger/block_test.go", source)))
		})
	}
}

// TestCheckStateOutsidePurePackages checks that other packages may have package-level variables but may not panic.
func TestCheckStateOutsidePurePackages(t *testing.T) {
	t.Parallel()
	const source = "package feed\n\nvar buffers []int\n\nfunc run() { panic(1) }\n"
	expect(t, CheckState(fixture(t, "internal/feed/feed.go", source)), "panics in run")
}
