package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Coverage is the specification, the tests that cite it, and the rules whose tests must wait.
type Coverage struct {
	Sections  []Section
	Citations []Citation
	Awaiting  map[string]string // rule to the reason why nothing can test it yet
	Targets   []FuzzTarget
}

// awaitedRules are the rules that need a part which does not exist yet, each with that part.
func awaitedRules() map[string]string {
	return map[string]string{}
}

// Check finds rules without a test, tests of rules that do not exist, and rules that wait though they
// need not. The findings are about the page of the coverage, or about the citing test.
func (c *Coverage) Check(page string) []Finding {
	var findings []Finding
	complain := func(format string, args ...any) {
		findings = append(findings, Finding{File: page, Text: fmt.Sprintf(format, args...)})
	}
	for _, rule := range duplicateRules(c.Sections) {
		complain("rule %s stands in the specification twice", rule)
	}
	tests := c.tests()
	rules := allRules(c.Sections)
	for _, rule := range rules {
		_, isAwaited := c.Awaiting[rule]
		switch {
		case len(tests[rule]) == 0 && !isAwaited:
			complain("rule %s has no test", rule)
		case len(tests[rule]) > 0 && isAwaited:
			complain("rule %s waits for a later part, but %s tests it", rule, tests[rule][0].Test)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(c.Awaiting)) {
		if !slices.Contains(rules, rule) {
			complain("rule %s waits for a later part, but does not exist", rule)
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

// tests groups the citations by rule, in a fixed order.
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

// Page prints the coverage as a page of the documentation.
func (c *Coverage) Page() string {
	var page strings.Builder
	page.WriteString("# Rules and their tests\n\n" +
		"Generated from the specification and from the comments of the tests by `go test ./internal/lint -update`.\n" +
		"A rule without a test fails that package's tests, and so does a test of a rule that does not exist.\n")
	tests := c.tests()
	for _, section := range c.Sections {
		fmt.Fprintf(&page, "\n## %s %s\n\n| rule | tests |\n|---|---|\n", section.ID, section.Title)
		for _, rule := range section.Rules {
			fmt.Fprintf(&page, "| %s | %s |\n", rule, c.describe(rule, tests[rule]))
		}
	}
	page.WriteString("\n## Fuzz targets\n\n| package | target |\n|---|---|\n")
	for _, target := range c.Targets {
		fmt.Fprintf(&page, "| `%s` | %s |\n", target.Dir, strings.ReplaceAll(target.Comment, "|", `\|`))
	}
	return page.String()
}

// describe prints the tests of a rule by package, or why there are none.
func (c *Coverage) describe(rule string, tests []Citation) string {
	if reason, isAwaited := c.Awaiting[rule]; isAwaited {
		return "awaited: " + reason
	}
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
