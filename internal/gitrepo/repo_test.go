package gitrepo_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"makechain/internal/gitrepo"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// TestOpen opens working trees, worktrees, bare and shallow repositories, and a directory outside of any.
func TestOpen(t *testing.T) {
	t.Parallel()
	made := gittest.Init(t)
	one := made.Commit(t, "one")
	made.Commit(t, "two")
	worktree, below := filepath.Join(t.TempDir(), "side"), filepath.Join(made.Dir, "a", "b")
	made.Git(t, "worktree", "add", "--quiet", "-b", "side", worktree, one)
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"tree": made.Dir, "below": below, "worktree": worktree, "bare": made.Clone(t, "--bare").Dir} {
		repo := open(t, dir)
		want := "refs/heads/main"
		if name == "worktree" {
			want = "refs/heads/side"
		}
		if head, err := repo.Head(t.Context()); err != nil || head.Name != want || repo.IsShallow() {
			t.Errorf("%s: head %v, %v", name, head, err)
		}
		private := repo.PrivatePath("x")
		if _, err := os.Stat(filepath.Join(filepath.Dir(filepath.Dir(private)), "objects")); err != nil {
			t.Errorf("%s: %s is not in git's directory: %v", name, private, err)
		}
	}
	if !open(t, made.Clone(t, "--depth=1").Dir).IsShallow() {
		t.Error("a shallow clone is not reported as shallow")
	}
	if _, err := gitrepo.Open(t.Context(), t.TempDir()); !errors.Is(err, gitrepo.ErrNoRepository) {
		t.Errorf("no repository: %v", err)
	}
}

// TestHead checks Head before the first commit, on a branch and detached, and the resolution of revisions.
func TestHead(t *testing.T) {
	t.Parallel()
	made := gittest.Init(t)
	repo := open(t, made.Dir)
	if _, err := repo.Head(t.Context()); !errors.Is(err, gitrepo.ErrNoCommits) {
		t.Errorf("unborn: %v", err)
	}
	id := made.Commit(t, "one")
	if head, err := repo.Head(t.Context()); err != nil || head.Commit != fromID(t, id) {
		t.Errorf("head %v, %v", head, err)
	}
	made.Git(t, "checkout", "--quiet", "--detach")
	if _, err := repo.Head(t.Context()); !errors.Is(err, gitrepo.ErrDetached) {
		t.Errorf("detached: %v", err)
	}
	for revision, found := range map[string]bool{"HEAD": true, "main~0": true, id[:7]: true, "nothing": false, "--all": false, "HEAD^{tree}": false} {
		got, err := repo.Resolve(t.Context(), revision)
		if (err == nil) != found || found && got != fromID(t, id) {
			t.Errorf("%s: %v, %v", revision, got, err)
		}
	}
}

// TestRefs checks branches and tags, with tags of tags, tags of trees and names that are not UTF-8.
func TestRefs(t *testing.T) {
	t.Parallel()
	made := gittest.Init(t)
	commit := made.Commit(t, "one")
	made.Git(t, "branch", "größe/ä")
	made.Git(t, "branch", "latin-\xe4")
	made.Git(t, "tag", "light")
	made.Git(t, "tag", "--annotate", "--message=x", "annotated")
	made.Git(t, "tag", "--annotate", "--message=x", "nested", "annotated")
	made.Git(t, "tag", "--annotate", "--message=x", "of-tree", "HEAD^{tree}")
	made.Git(t, "tag", "light-tree", "HEAD^{tree}")
	repo := open(t, made.Dir)
	want := fromID(t, commit)
	branches, err := repo.Branches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tags, err := repo.Tags(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	object := func(tag string) ident.Hash { return fromID(t, made.Git(t, "rev-parse", "refs/tags/"+tag)) }
	expected := []gitrepo.Ref{
		{Name: "refs/heads/größe/ä", Commit: want},
		{Name: "refs/heads/latin-\xe4", Commit: want},
		{Name: "refs/heads/main", Commit: want},
		{Name: "refs/tags/annotated", Commit: want, TagObject: object("annotated")},
		{Name: "refs/tags/light", Commit: want},
		{Name: "refs/tags/light-tree"},
		{Name: "refs/tags/nested", Commit: want, TagObject: object("nested")},
		{Name: "refs/tags/of-tree", TagObject: object("of-tree")},
	}
	if got := slices.Concat(branches, tags); !slices.Equal(got, expected) {
		t.Errorf("refs are\n%v, want\n%v", got, expected)
	}
	for name, found := range map[string]bool{"größe/ä": true, "größe": false, "latin-\xe4": true, "*": false, "a b": false, "light": false} {
		ref, ok, err := repo.Branch(t.Context(), name)
		if err != nil || ok != found || ok && ref.Name != gitrepo.BranchPrefix+name {
			t.Errorf("branch %q: %v, %v, %v", name, ref, ok, err)
		}
	}
	if tag, ok, err := repo.Tag(t.Context(), "nested"); err != nil || !ok || tag.Commit != want {
		t.Errorf("tag: %v, %v, %v", tag, ok, err)
	}
}

// TestConfig checks that values are stored in the configuration of the repository.
func TestConfig(t *testing.T) {
	t.Parallel()
	made := gittest.Init(t)
	repo := open(t, made.Dir)
	if value, err := repo.Config(t.Context(), "project"); err != nil || value != "" {
		t.Errorf("unset: %q, %v", value, err)
	}
	if err := repo.SetConfig(t.Context(), "project", "alice/größe"); err != nil {
		t.Fatal(err)
	}
	if value, err := repo.Config(t.Context(), "project"); err != nil || value != "alice/größe" {
		t.Errorf("set: %q, %v", value, err)
	}
}
