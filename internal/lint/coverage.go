package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Coverage is the specification, the tests that cite it, and the fuzz targets.
type Coverage struct {
	Sections  []Section
	Citations []Citation
	Targets   []FuzzTarget
}

// Check finds rules without a test and citations of rules that do not exist. A finding names the coverage page or the
// file of the citing test.
func (c *Coverage) Check(page string) []Finding {
	var findings []Finding
	complain := func(format string, args ...any) {
		findings = append(findings, Finding{File: page, Text: fmt.Sprintf(format, args...)})
	}
	for _, rule := range duplicateRules(c.Sections) {
		complain("rule %s is in the specification twice", rule)
	}
	tests := c.tests()
	rules := allRules(c.Sections)
	for _, rule := range rules {
		if len(tests[rule]) == 0 {
			complain("rule %s has no test", rule)
		}
	}
	for _, citation := range c.Citations {
		if !slices.Contains(rules, citation.Rule) {
			findings = append(findings, Finding{
				File: citation.File, Line: citation.Line,
				Text: fmt.Sprintf("%s cites rule %s, which does not exist", citation.Test, citation.Rule),
			})
		}
	}
	return findings
}

// tests returns the citations of each rule, sorted by package and test.
func (c *Coverage) tests() map[string][]Citation {
	tests := map[string][]Citation{}
	for _, citation := range c.Citations {
		tests[citation.Rule] = append(tests[citation.Rule], citation)
	}
	for _, cited := range tests {
		slices.SortFunc(cited, func(a, b Citation) int {
			return cmp.Or(cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.Test, b.Test))
		})
	}
	return tests
}

// Page returns the coverage as a documentation page.
func (c *Coverage) Page() string {
	var page strings.Builder
	page.WriteString("# Rules and their tests\n\n" +
		"Generated from the specification and from the comments of the tests by `go test ./internal/lint -update`.\n" +
		"A rule without a test fails that package's tests, and so does a test of a rule that does not exist.\n")
	tests := c.tests()
	for _, section := range c.Sections {
		fmt.Fprintf(&page, "\n## %s %s\n\n| rule | tests |\n|---|---|\n", section.ID, section.Title)
		for _, rule := range section.Rules {
			fmt.Fprintf(&page, "| %s | %s |\n", rule, describeTests(tests[rule]))
		}
	}
	page.WriteString("\n## Fuzz targets\n\n| package | target |\n|---|---|\n")
	for _, target := range c.Targets {
		fmt.Fprintf(&page, "| `%s` | %s |\n", target.Dir, strings.ReplaceAll(target.Comment, "|", `\|`))
	}
	return page.String()
}

// describeTests lists the tests of a rule by package.
func describeTests(tests []Citation) string {
	var description strings.Builder
	dir := ""
	for i, test := range tests {
		switch {
		case test.Dir != dir && dir == "":
			fmt.Fprintf(&description, "`%s`: ", test.Dir)
		case test.Dir != dir:
			fmt.Fprintf(&description, "; `%s`: ", test.Dir)
		case i > 0:
			description.WriteString(", ")
		}
		dir = test.Dir
		description.WriteString(test.Test)
	}
	return description.String()
}
