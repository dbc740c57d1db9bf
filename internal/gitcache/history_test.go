package gitcache

import (
	"bytes"
	"errors"
	"net/netip"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"makechain/internal/gitbundle"
	"makechain/internal/gitrepo/gittest"
)

// TestCommitGraph checks that a commit graph with changed paths is written, also after a process was killed while it wrote one and
// next to bitmaps that an earlier version wrote without one, that the history of paths is the same with it, page by page, and that it
// is written without changed paths when they take too long.
func TestCommitGraph(t *testing.T) {
	t.Parallel()
	for _, format := range []gitbundle.Format{gitbundle.SHA1, gitbundle.SHA256} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "--object-format="+string(format))
			f.Fill(t, gittest.Variety{Commits: 1200, Tags: 20})
			f.add(t, 1, "main")
			tip := f.Git(t, "rev-parse", "main")
			if err := f.SetRefs(t.Context(), project(1), []gitbundle.Ref{{Name: "refs/heads/main", ID: tip}}, "refs/heads/main"); err != nil {
				t.Fatal(err)
			}
			paths := changedPaths(t, f)
			f.checkHistory(t, tip, paths)
			if err := f.maintainWith(t.Context(), project(1), multiPackIndex, "write", "--bitmap", "--no-progress"); err != nil {
				t.Fatal(err)
			}
			graph := f.commitGraph(project(1))
			if err := os.WriteFile(graph+".lock", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := f.Maintain(t.Context(), project(1)); err != nil {
				t.Fatal(err)
			}
			f.cached(1).Git(t, commitGraph, "verify")
			if written, err := os.ReadFile(graph); err != nil || !bytes.Contains(written[:200], []byte("BDAT")) {
				t.Errorf("the commit graph has no changed paths: %v", err)
			}
			f.checkHistory(t, tip, paths)

			if err := os.Remove(graph); err != nil {
				t.Fatal(err)
			}
			if err := f.writeCommitGraph(t.Context(), project(1), 0); err != nil {
				t.Fatal(err)
			}
			f.cached(1).Git(t, commitGraph, "verify")
			f.checkHistory(t, tip, paths)
		})
	}
}

// changedPaths returns some paths of main and of what it has deleted, and directories.
func changedPaths(t *testing.T, f *fixture) []string {
	t.Helper()
	found := strings.Split(strings.Trim(f.Git(t, "log", "--format=", "--name-only", "-z", "main"), "\x00"), "\x00")
	slices.Sort(found)
	found = slices.Compact(found)
	var paths []string
	for i := 0; i < len(found); i += max(1, len(found)/20) {
		paths = append(paths, found[i])
		if dir := path.Dir(found[i]); dir != "." {
			paths = append(paths, dir)
		}
	}
	return append(paths, "none", "")
}

// checkHistory compares the history of paths with that of git in a repository without a commit graph.
func (f *fixture) checkHistory(t *testing.T, tip string, paths []string) {
	t.Helper()
	for _, path := range paths {
		args := []string{"--literal-pathspecs", "rev-list", tip, "--"}
		if path != "" {
			args = append(args, path)
		}
		want := strings.Fields(f.Git(t, args...))
		pageSize := max(1, len(want)/2)
		var got []string
		for more := true; more; {
			var page []string
			var err error
			page, more, err = f.History(t.Context(), project(1), tip, path, len(got), pageSize, netip.IPv6Loopback())
			var slow *RequestError // the machine may be too busy for the time that a request has
			if more = more || errors.As(err, &slow); err != nil && slow == nil || len(page) > pageSize {
				t.Fatalf("%q: %d commits, %v", path, len(page), err)
			}
			got = append(got, page...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q was changed by %d commits, want %d", path, len(got), len(want))
		}
	}
}
