package histories_test

import (
	"slices"
	"strings"
	"testing"
)

// original is a repository that clones are compared with.
type original struct {
	dir     string
	refs    string
	objects []string
	faults  string
}

// readOriginal reads the refs and objects of a repository.
func (m *machine) readOriginal(tb testing.TB, dir string) *original {
	tb.Helper()
	return &original{dir: dir, refs: m.refs(tb, dir), objects: m.objects(tb, dir), faults: m.faults(tb, dir)}
}

// faults returns what git fsck finds. Old repositories have commits with faults that git no longer makes.
func (m *machine) faults(tb testing.TB, dir string) string {
	tb.Helper()
	printed, _ := m.command(tb, dir, "git", "fsck", "--full", "--no-dangling", "--no-progress").CombinedOutput() // faults are errors
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// refs returns all refs with the type and id of their object, and what tags point at.
func (m *machine) refs(tb testing.TB, dir string) string {
	tb.Helper()
	return m.git(tb, dir, "for-each-ref", "--format=%(objectname) %(objecttype) %(*objectname) %(refname)")
}

// objects returns the sorted ids of all objects that refs reach.
func (m *machine) objects(tb testing.TB, dir string) []string {
	tb.Helper()
	ids := strings.Split(m.git(tb, dir, "rev-list", "--objects", "--all", "--no-object-names"), "\n")
	slices.Sort(ids)
	return slices.Compact(ids)
}

// compare checks that a clone of all refs has the same refs and objects as the original, and that git finds
// nothing else wrong with it.
func (m *machine) compare(tb testing.TB, want *original, clone string) {
	tb.Helper()
	if got := m.refs(tb, clone); got != want.refs {
		tb.Errorf("the refs of the clone differ from the original: %s", difference(strings.Split(got, "\n"), strings.Split(want.refs, "\n")))
	}
	if got := m.objects(tb, clone); !slices.Equal(got, want.objects) {
		tb.Errorf("the clone has %d objects, the original %d: %s", len(got), len(want.objects), difference(got, want.objects))
	}
	if got := m.faults(tb, clone); got != want.faults {
		tb.Errorf("git fsck prints in the clone\n%s\nand in the original\n%s", got, want.faults)
	}
}

// difference describes some of the differences between two lists.
func difference(got, want []string) string {
	const most = 10
	var text strings.Builder
	for _, side := range []struct {
		prefix   string
		in, from []string
	}{{"\n+ ", got, want}, {"\n- ", want, got}} {
		known := map[string]bool{}
		for _, line := range side.from {
			known[line] = true
		}
		shown := 0
		for _, line := range side.in {
			if !known[line] && shown < most {
				text.WriteString(side.prefix + line)
				shown++
			}
		}
	}
	return text.String()
}
