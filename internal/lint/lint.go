// Package lint implements the rules of this repository as tests, and generates the pages that come from source.
//
// A rule is a function of parsed source or of a documentation page. It returns its findings and changes nothing. Every
// rule is also tested with a fixture that violates it.
package lint

import (
	"cmp"
	"fmt"
	"slices"
)

// Finding is one violation of a rule, with its position.
type Finding struct {
	File string // slash-separated path from the root of the module
	Line int    // 0 when the finding is about the whole file
	Text string
}

// String formats a finding as compilers do.
func (f Finding) String() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.File, f.Text)
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
}

// sortFindings sorts findings by file, line and text.
func sortFindings(findings []Finding) {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
}
