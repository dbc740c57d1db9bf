package lint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
)

const coveragePage = "docs/spec-coverage.md"

// TestSpecCoverage checks that every rule of the specification has a test that cites it, and that the coverage page is up
// to date.
func TestSpecCoverage(t *testing.T) {
	t.Parallel()
	module := loadModule(t)
	coverage := &Coverage{Sections: specification(t, module.Root)}
	for _, p := range module.Packages {
		citations, findings := Citations(p)
		report(t, findings)
		coverage.Citations = append(coverage.Citations, citations...)
		coverage.Targets = append(coverage.Targets, FuzzTargets(p)...)
	}
	coverage.Citations = expandFamilies(coverage.Citations, allRules(coverage.Sections))
	report(t, coverage.Check(coveragePage))

	comparePage(t, coveragePage, coverage.Page())
}

// comparePage compares a generated page with the file, or writes the file with -update.
func comparePage(t *testing.T, name, content string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Join(moduleRoot, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if readPage(t, moduleRoot, name) != content {
		t.Errorf("%s is out of date; run: make generate, or go test ./internal/lint -update", name)
	}
}

// specification parses the numbered pages. A page without numbers counts as one rule.
func specification(t *testing.T, root string) []Section {
	t.Helper()
	var sections []Section
	for _, page := range []string{"protocol.md", "state-tree.md"} {
		parsed, err := ParseSections(readPage(t, root, "docs/spec/"+page), messageTypes())
		if err != nil {
			t.Fatal(err)
		}
		sections = append(sections, parsed...)
	}
	return append(sections,
		Section{ID: "WIRE", Title: "Wire format", Rules: []string{"WIRE"}},
		Section{ID: "REST", Title: "The REST gateway", Rules: []string{"REST"}})
}

// messageTypes returns the names of the message types as the specification writes them.
func messageTypes() []string {
	var types []string
	values := pb.MessageType(0).Descriptor().Values()
	for i := 1; i < values.Len(); i++ {
		types = append(types, strings.TrimPrefix(string(values.Get(i).Name()), "MESSAGE_TYPE_"))
	}
	return types
}

// TestParseSections checks the rules that are parsed from a page, and that an unknown message type is an error.
func TestParseSections(t *testing.T) {
	t.Parallel()
	const page = "# Title\n\n1. not in a section\n\n## P4 Custody\n\n1. One.\n\n| a | b |\n|---|---|\n| c | d |\n\n2. Two.\n" +
		"\n## P3 Types\n\n| type |\n|---|\n| `FORK` |\n\n1. One.\n" +
		"\n## P5 Checks\n\n| type | rule |\n|---|---|\n| all | x |\n| `FORK` | x |\n| `LINK_*`, `REF_UPDATE` | x |\n" +
		"\n## P7 Keys\n\n| k |\n|---|\n| `03` |\n\n1. One.\n" +
		"\n## P12 Always\n\n| | |\n|---|---|\n| I1 | x |\n| I2 | x |\n" +
		"\n## T2 Speed\n\n| | |\n|---|---|\n| crash | x |\n\n## T4 Tests\n\nText.\n\n## Other\n\n1. Free.\n"
	sections, err := ParseSections(page, messageTypes())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"P4.1", "P4.2", "P3/phases", "P3/authority", "P3.1", "P5/all", "P5/FORK", "P5/LINK_ADD", "P5/LINK_REMOVE",
		"P5/REF_UPDATE", "P7", "P7.1", "I1", "I2", "T2/crash", "T4",
	}
	if got := allRules(sections); !slices.Equal(got, want) {
		t.Errorf("rules are %q, want %q", got, want)
	}

	_, err = ParseSections("## P5 Checks\n\n| type |\n|---|\n| `FROK` |\n", messageTypes())
	if err == nil || !strings.Contains(err.Error(), "FROK") {
		t.Errorf("an unknown message type returns error %v", err)
	}
}

// TestCitations checks the citations of well-formed and malformed comments.
func TestCitations(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, comment string
		rules         []string
		findings      []string
	}{
		{"none", "// TestX checks.", nil, nil},
		{"one", "// TestX checks.\n// Rules: P4.2.", []string{"P4.2"}, nil},
		{"many", "// TestX checks.\n//\n// Rules: P4.2, P5/LINK_*,\n// T2/crash, I3, T4.", []string{"P4.2", "P5/LINK_*", "T2/crash", "I3", "T4"}, nil},
		{"no full stop", "// TestX checks.\n// Rules: P4.2", nil, []string{"TestX cites rules in another form"}},
		{"inside a line", "// TestX checks. Rules: P4.2.", nil, []string{"TestX cites rules in another form"}},
		{"more text", "// TestX checks.\n// Rules: P4.2.\n// More.", nil, []string{"TestX cites rules in another form"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			source := "package ledger\n\n" + test.comment + "\nfunc TestX() {}\n\n// Rules: P9.9.\nfunc helper() {}\n"
			citations, findings := Citations(fixture(t, "internal/ledger/block_test.go", source))
			expect(t, findings, test.findings...)
			var rules []string
			for _, citation := range citations {
				rules = append(rules, citation.Rule)
			}
			if !slices.Equal(rules, test.rules) {
				t.Errorf("cited %q, want %q", rules, test.rules)
			}
		})
	}
}

// TestExpandFamilies checks that a family of types expands to the rules that exist.
func TestExpandFamilies(t *testing.T) {
	t.Parallel()
	rules := []string{"P5/LINK_ADD", "P5/LINK_REMOVE", "P5/FORK"}
	var got []string
	for _, citation := range expandFamilies([]Citation{{Rule: "P5/LINK_*"}, {Rule: "P5/FORK"}, {Rule: "P5/NONE_*"}, {Rule: "P9.9"}}, rules) {
		got = append(got, citation.Rule)
	}
	if want := []string{"P5/LINK_ADD", "P5/LINK_REMOVE", "P5/FORK", "P5/NONE_*", "P9.9"}; !slices.Equal(got, want) {
		t.Errorf("citations are of %q, want %q", got, want)
	}
}

// TestFuzzTargets checks the fuzz targets of a package and their row on the page.
func TestFuzzTargets(t *testing.T) {
	t.Parallel()
	const source = "package ledger\n\n// FuzzX takes any | bytes.\n// It holds.\n//\n// Rules: P4.2.\nfunc FuzzX() {}\n\nfunc TestX() {}\n"
	targets := FuzzTargets(fixture(t, "internal/ledger/block_test.go", source))
	want := []FuzzTarget{{Dir: "internal/ledger", Comment: "FuzzX takes any | bytes. It holds."}}
	if !slices.Equal(targets, want) {
		t.Errorf("targets are %q, want %q", targets, want)
	}
	page := (&Coverage{Targets: targets}).Page()
	if row := "| `internal/ledger` | FuzzX takes any \\| bytes. It holds. |\n"; !strings.Contains(page, row) {
		t.Errorf("the page lacks %q:\n%s", row, page)
	}
}

// TestCoverageCheck checks the findings and the page of an incomplete coverage.
func TestCoverageCheck(t *testing.T) {
	t.Parallel()
	coverage := &Coverage{
		Sections: []Section{{ID: "P1", Title: "One", Rules: []string{"P1.1", "P1.2", "P1.3", "P1.4", "P1.4"}}},
		Citations: []Citation{
			{Rule: "P1.1", Dir: "b", Test: "TestB", File: "b/b_test.go", Line: 1},
			{Rule: "P1.1", Dir: "a", Test: "TestA", File: "a/a_test.go", Line: 2},
			{Rule: "P1.1", Dir: "a", Test: "FuzzA", File: "a/a_test.go", Line: 1},
			{Rule: "P1.3", Dir: "a", Test: "TestA", File: "a/a_test.go", Line: 2},
			{Rule: "P9.9", Dir: "a", Test: "TestA", File: "a/a_test.go", Line: 2},
		},
	}
	expect(t, coverage.Check("page.md"),
		"a/a_test.go:2: TestA cites rule P9.9, which does not exist",
		"page.md: rule P1.2 has no test",
		"page.md: rule P1.4 has no test",
		"page.md: rule P1.4 has no test",
		"page.md: rule P1.4 is in the specification twice")
	for _, row := range []string{
		"| P1.1 | `a`: FuzzA, TestA; `b`: TestB |\n", "| P1.2 |  |\n",
	} {
		if !strings.Contains(coverage.Page(), row) {
			t.Errorf("the page lacks %q:\n%s", row, coverage.Page())
		}
	}
}
