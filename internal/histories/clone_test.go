package histories_test

import (
	"path/filepath"
	"strings"
	"testing"

	"makechain/internal/gitrepo/gittest"
)

// formats returns the object formats of git.
func formats() []string { return []string{"sha1", "sha256"} }

// TestKinds pushes a history in three parts, clones it from each kind of store and compares.
func TestKinds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	m := newMachine(t)
	for _, format := range formats() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			made := gittest.Init(t, "--object-format="+format)
			made.Fill(t, gittest.Variety{Commits: 300, Tags: 30})
			url, s := m.create(t, "kinds-"+format), m.newStores(t, made.Dir)
			m.git(t, made.Dir, "-c", "makechain.store="+s.files, "push", "--quiet", url, "main~20:refs/heads/main")
			m.git(t, made.Dir, "-c", "makechain.store="+s.files, "push", "--quiet", url, "main", "annotated-1")
			m.push(t, s, made.Dir, url)
			want := m.readOriginal(t, made.Dir)
			if strings.Contains(want.faults, "error") {
				t.Errorf("git fsck: %s", want.faults)
			}
			for _, kind := range kinds() {
				t.Run(kind, func(t *testing.T) {
					t.Parallel()
					m.compare(t, want, m.clone(t, url, s.store(kind)))
				})
			}
			t.Run("files", func(t *testing.T) {
				t.Parallel()
				m.compareFiles(t, made.Dir, url)
			})
		})
	}
}

// compareFiles checks that a clone with a working tree has the files of the original.
func (m *machine) compareFiles(t *testing.T, original, url string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	m.git(t, m.dir, "clone", "--quiet", url, dir)
	if changed := m.git(t, dir, "status", "--porcelain"); changed != "" {
		t.Errorf("the files of the clone differ from its commit: %s", changed)
	}
	for _, command := range []string{"ls-tree -r HEAD", "for-each-ref refs/tags", "log --format=raw main", "rev-parse --abbrev-ref HEAD"} {
		args := strings.Fields(command)
		if m.git(t, dir, args...) != m.git(t, original, args...) {
			t.Errorf("git %s prints something else in the clone", command)
		}
	}
}

// TestLargeHistory pushes a history of more than 10,000 commits with 1,000 tags, clones it from each kind of store and compares.
func TestLargeHistory(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("pushes 10,000 commits")
	}
	m := newMachine(t)
	for _, format := range formats() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			made := gittest.Init(t, "--bare", "--object-format="+format)
			made.Fill(t, gittest.Variety{Commits: 10_300, Tags: 1000})
			url, s := m.create(t, "large-"+format), m.newStores(t, made.Dir)
			m.push(t, s, made.Dir, url)
			want := m.readOriginal(t, made.Dir)
			if strings.Contains(want.faults, "error") {
				t.Errorf("git fsck: %s", want.faults)
			}
			for _, kind := range kinds() {
				m.compare(t, want, m.clone(t, url, s.store(kind)))
			}
		})
	}
}
