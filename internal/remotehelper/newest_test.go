package remotehelper_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"makechain/internal/gitrepo/gittest"
)

// TestNewestFirst clones from files: the newest git bundle has everything, so that earlier ones are not read and need not be there.
func TestNewestFirst(t *testing.T) {
	t.Parallel()
	origin := gittest.Init(t)
	origin.Commit(t, "one")
	origin.Git(t, "branch", "old")
	origin.Commit(t, "two")
	f := newFixture(t, origin)
	store := f.bundles(t, []string{"old"}, []string{"old..main"}, []string{"--all"})
	digests := f.chain.Digests[f.project.ID.String()]
	slices.Reverse(digests)
	f.save(t)
	for _, replaced := range digests[1:] {
		if err := os.Remove(filepath.Join(store, replaced.String()[:2], replaced.String())); err != nil {
			t.Fatal(err)
		}
	}
	dir := f.clone(t, "-c", "makechain.store="+store)
	f.equals(t, dir)
	read, err := os.ReadFile(filepath.Join(dir, ".git", "makechain", "bundles"))
	if err != nil || strings.TrimSpace(string(read)) != digests[0].String() {
		t.Errorf("the clone has read %q, want %s: %v", read, digests[0], err)
	}
}

// TestUnnamedPrerequisite clones from files of which the newest has a tag of a commit that it neither has nor names: git bundle create
// makes such files. It is added after the others.
func TestUnnamedPrerequisite(t *testing.T) {
	t.Parallel()
	origin := gittest.Init(t)
	origin.Commit(t, "one")
	origin.Git(t, "tag", "-a", "-m", "a release", "v1")
	f := newFixture(t, origin)
	store := f.bundles(t, []string{"main"}, []string{"v1", "^main"})
	slices.Reverse(f.chain.Digests[f.project.ID.String()])
	f.save(t)
	f.equals(t, f.clone(t, "-c", "makechain.store="+store))
}
