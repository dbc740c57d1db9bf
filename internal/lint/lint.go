// Package lint holds the rules that this repository sets itself, so that they run as tests.
//
// A rule is a function of parsed source or of a page of the documentation. It returns what it found
// and changes nothing. Every rule is also run on a fixture that breaks it, so that a rule which can
// no longer fail is noticed.
package lint

import (
	"cmp"
	"fmt"
	"slices"
)

// Finding is one breach of a rule, at a place that an editor can open.
type Finding struct {
	File string // slash-separated path from the root of the module
	Line int    // 0 when the finding is about the whole file
	Text string
}

// String prints a finding as compilers do.
func (f Finding) String() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.File, f.Text)
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
}

// sortFindings puts findings in the order of the source.
func sortFindings(findings []Finding) {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
}
