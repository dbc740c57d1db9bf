package lint

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCheckTests checks tests that skip or sleep, and fuzz targets with and without seeds.
func TestCheckTests(t *testing.T) {
	t.Parallel()
	const imports = "package ledger\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nvar _, _ = testing.X, time.X\n\n"
	tests := []struct {
		name, source string
		want         []string
	}{
		{"skip", "func TestX(t *testing.T) { t.Skip() }", []string{"skips a test"}},
		{"skip when short", "func TestX(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip(\"slow\")\n\t}\n}", nil},
		{"skip when not short", "func TestX(t *testing.T) {\n\tif !testing.Short() {\n\t\tt.Skip(\"slow\")\n\t}\n}", []string{"skips a test"}},
		{"skip without a reason", "func TestX(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n}", []string{"skips a test"}},
		{"skip when short and more", "func TestX(t *testing.T) {\n\tif testing.Short() && other {\n\t\tt.Skip(\"slow\")\n\t}\n}", []string{"skips a test"}},
		{"sleep", "func TestX(t *testing.T) { time.Sleep(1) }", []string{"sleeps"}},
		{"no seeds", "func FuzzX(f *testing.F) {}", []string{"FuzzX has no seed corpus"}},
		{"seeds", "func FuzzX(f *testing.F) { f.Add(1) }", nil},
		{"seeds of a helper", "func seed(f *testing.F) { f.Add(1) }\n\nfunc FuzzX(f *testing.F) { seed(f) }", nil},
		{"another Add", "func FuzzX(f *testing.F) { group.Add(1) }", []string{"FuzzX has no seed corpus"}},
		{"corpus", "func FuzzKept(f *testing.F) {}", nil},
	}
	root := t.TempDir()
	corpus := filepath.Join(root, "internal", "ledger", "testdata", "fuzz", "FuzzKept")
	if err := os.MkdirAll(corpus, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(corpus, "seed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expect(t, CheckTests(root, fixture(t, "internal/ledger/block_test.go", imports+test.source)), test.want...)
		})
	}
}
