package remotehelper_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"makechain/internal/gitrepo/gittest"
)

func sortStrings(lines []string) { slices.Sort(lines) }

// grown returns a repository with merges, tags of tags and names in several scripts.
func grown(t *testing.T, options ...string) *gittest.Repo {
	t.Helper()
	repo := gittest.Init(t, options...)
	repo.Grow(t, gittest.Shape{Seed: 1, Commits: 60, Lines: 3})
	repo.Git(t, "tag", "--annotate", "--message", "release", "v1.0")
	repo.Git(t, "tag", "--annotate", "--message", "a tag of a tag", "v1.0-again", "v1.0")
	return repo
}

// TestClone clones, fetches and pulls, from a git server and from a store that only has files.
func TestClone(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		for _, kind := range []string{"server", "directory", "static", "local repository"} {
			t.Run(format+" "+kind, func(t *testing.T) {
				t.Parallel()
				origin := grown(t, "--object-format="+format)
				f := newFixture(t, origin)
				f.chain.NodeURL = f.store(t, kind)
				f.save(t)
				dir := f.clone(t)
				f.equals(t, dir)
				if got := f.must(t, dir, "config", "remote.origin.makechainProject"); got != f.project.ID.String() {
					t.Errorf("the clone stores the project %q", got)
				}
				if kept := f.must(t, dir, "config", "--list"); strings.Contains(kept, f.chain.NodeURL) {
					t.Errorf("the store is in the configuration: %s", kept)
				}
				before := origin.Git(t, "rev-parse", "HEAD")
				origin.Commit(t, "one more")
				origin.Git(t, "tag", "--annotate", "--message", "second", "v2.0")
				f.update(t)
				if kind == "directory" || kind == "static" {
					f.add(t, f.chain.NodeURL, before+"..main", "v2.0")
				}
				delete(f.chain.Names, "alice/hello") // the project was renamed
				f.save(t)
				f.must(t, dir, "pull", "--quiet", "--tags")
				f.equals(t, dir)
			})
		}
	}
}

// store returns the location of a store of the kind with the content of the project.
func (f *fixture) store(t *testing.T, kind string) string {
	t.Helper()
	switch kind {
	case "server":
		return backend(t, f.origin).URL
	case "local repository":
		return f.origin.Dir
	}
	middle := f.origin.Git(t, "rev-parse", "main~10")
	f.origin.Git(t, "branch", "middle", middle)
	dir := f.bundles(t, []string{"middle..main", "--branches", "--tags", "^middle"}, []string{"middle", "annotated", "light", "größe/v1"})
	f.origin.Git(t, "branch", "-D", "middle")
	if kind == "static" {
		f.served = dir
		return serve(t, http.FileServer(http.Dir(dir))).URL
	}
	return dir
}
