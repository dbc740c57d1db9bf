package histories_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

var repositories = flag.String("repositories", "", "URLs or paths of repositories, separated by spaces, that TestRepositories pushes and clones")

// TestRepositories pushes the repositories of the flag, clones them from each kind of store and compares. It prints what they
// have and how long each step took.
func TestRepositories(t *testing.T) {
	t.Parallel()
	list := strings.Fields(*repositories)
	if len(list) == 0 {
		return // the other tests generate histories
	}
	m := newMachine(t)
	table := tabwriter.NewWriter(t.Output(), 0, 0, 2, ' ', 0)
	row := func(cells ...string) { _, _ = table.Write([]byte(strings.Join(cells, "\t") + "\n")) } // output of a test
	row(append([]string{"repository", "commits", "refs", "objects", "pack kB", "push"}, kinds()...)...)
	for i, source := range list {
		made := filepath.Join(t.TempDir(), "original.git")
		m.git(t, m.dir, "clone", "--quiet", "--mirror", "--no-local", source, made)
		m.dropOtherRefs(t, made)
		url, s := m.create(t, "r"+strconv.Itoa(i+1)), m.newStores(t, made)
		start := time.Now()
		m.git(t, made, "-c", "makechain.store="+s.files, "-c", "makechain.replicas=2", "push", "--quiet", "--mirror", url)
		took := []string{time.Since(start).Round(10 * time.Millisecond).String()}
		m.git(t, made, "push", "--quiet", "--mirror", s.bare)
		want := m.readOriginal(t, made)
		for _, kind := range kinds() {
			start := time.Now()
			clone := m.clone(t, url, s.store(kind))
			took = append(took, time.Since(start).Round(10*time.Millisecond).String())
			m.compare(t, want, clone)
			if err := os.RemoveAll(clone); err != nil {
				t.Fatal(err)
			}
		}
		row(append([]string{
			filepath.Base(strings.TrimSuffix(source, "/repo")), m.git(t, made, "rev-list", "--all", "--count"), strconv.Itoa(strings.Count(want.refs, "\n") + 1),
			strconv.Itoa(len(want.objects)), packSize(m.git(t, made, "count-objects", "-v")),
		}, took...)...)
	}
	if err := table.Flush(); err != nil {
		t.Error(err)
	}
}

// dropOtherRefs deletes refs that do not lead to a commit and those that are not valid on the chain, and prints them.
func (m *machine) dropOtherRefs(t *testing.T, dir string) {
	t.Helper()
	printed := m.git(t, dir, "for-each-ref", "--format=%(objecttype) %(*objecttype) %(refname)")
	for line := range strings.Lines(printed) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if fields[0] == "commit" || fields[0] == "tag" && (fields[1] == "commit" || fields[1] == "tag") {
			continue
		}
		t.Logf("%s leads to a %s, which the chain does not have", fields[2], fields[0])
		m.git(t, dir, "update-ref", "-d", fields[2])
	}
}

// packSize returns the size of all packs in kB.
func packSize(counts string) string {
	for line := range strings.Lines(counts) {
		if size, found := strings.CutPrefix(strings.TrimSpace(line), "size-pack: "); found {
			return size
		}
	}
	return ""
}
