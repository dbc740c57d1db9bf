package gitrepo_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
)

func open(t *testing.T, dir string) *gitrepo.Repo {
	t.Helper()
	repo, err := gitrepo.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

func fromID(t *testing.T, id string) ident.Hash {
	t.Helper()
	hash, err := gitid.Parse(id)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// TestHistory compares the commits of a generated history with the output of git log, in both object formats.
func TestHistory(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			made := gittest.Init(t, "--object-format="+format)
			made.Grow(t, gittest.Shape{Seed: 7, Commits: 400, Lines: 5})
			repo := open(t, made.Dir)
			tip := fromID(t, made.Git(t, "rev-parse", "main"))
			listed, err := repo.List(t.Context(), gitrepo.Range{Include: []ident.Hash{tip}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			err = repo.ReadCommits(t.Context(), listed, func(c *gitrepo.Commit) error {
				got = append(got, describe(c))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Split(made.Git(t, "log", "--topo-order", "--reverse", "--format=%H|%T|%P|%an|%ae|%at|%s", "main"), "\n")
			if len(got) != len(want) || len(want) < 400 {
				t.Fatalf("read %d commits, git logs %d", len(got), len(want))
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("commit %d is\n%q, git says\n%q", i, got[i], want[i])
				}
			}
		})
	}
}

func describe(c *gitrepo.Commit) string {
	var parents []string
	for _, parent := range c.Parents {
		parents = append(parents, gitid.String(parent))
	}
	return strings.Join([]string{
		gitid.String(c.Hash), gitid.String(c.Tree), strings.Join(parents, " "), c.Author.Name, c.Author.Email,
		itoa(c.Author.Seconds), c.Title(1000),
	}, "|")
}

// TestRange checks List, Count, Has and IsAncestor.
func TestRange(t *testing.T) {
	t.Parallel()
	made := gittest.Init(t)
	one, two, three := made.Commit(t, "one"), made.Commit(t, "two"), made.Commit(t, "three")
	repo := open(t, made.Dir)
	commits := gitrepo.Range{Include: []ident.Hash{fromID(t, three)}, Exclude: []ident.Hash{fromID(t, one)}}
	listed, err := repo.List(t.Context(), commits)
	if want := []ident.Hash{fromID(t, two), fromID(t, three)}; err != nil || !slices.Equal(listed, want) {
		t.Errorf("listed %v, %v", listed, err)
	}
	if count, err := repo.Count(t.Context(), commits); err != nil || count != 2 {
		t.Errorf("counted %d, %v", count, err)
	}
	if listed, err := repo.List(t.Context(), gitrepo.Range{}); err != nil || len(listed) != 0 {
		t.Errorf("listed %v from nothing, %v", listed, err)
	}
	absent := ident.Hash{1}
	have, err := repo.Has(t.Context(), []ident.Hash{absent, fromID(t, two), fromID(t, made.Git(t, "rev-parse", "HEAD^{tree}"))})
	if err != nil || len(have) != 1 || !have[fromID(t, two)] {
		t.Errorf("has %v, %v", have, err)
	}
	for _, c := range []struct {
		older, newer string
		want         bool
	}{{one, three, true}, {three, one, false}, {two, two, true}} {
		if got, err := repo.IsAncestor(t.Context(), fromID(t, c.older), fromID(t, c.newer)); err != nil || got != c.want {
			t.Errorf("%s before %s: %v, %v", c.older, c.newer, got, err)
		}
	}
	var failed *gitrepo.Error
	if _, err := repo.List(t.Context(), gitrepo.Range{Include: []ident.Hash{absent}}); !errors.As(err, &failed) {
		t.Errorf("a commit that is not there was listed: %v", err)
	}
	err = repo.ReadCommits(t.Context(), []ident.Hash{fromID(t, one), absent}, func(*gitrepo.Commit) error { return nil })
	if err == nil || !strings.Contains(err.Error(), gitid.String(absent)) {
		t.Errorf("a commit that is not there was read: %v", err)
	}
}

// TestReadStops checks that reading ends when the callback fails or the context ends.
func TestReadStops(t *testing.T) {
	t.Parallel()
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 3, Commits: 300, Lines: 3})
	repo := open(t, made.Dir)
	listed, err := repo.List(t.Context(), gitrepo.Range{Include: []ident.Hash{fromID(t, made.Git(t, "rev-parse", "main"))}})
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	if err := repo.ReadCommits(t.Context(), listed, func(*gitrepo.Commit) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("ended with %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = repo.ReadCommits(ctx, listed, func(*gitrepo.Commit) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// TestReplaceIgnored checks that replace refs and grafts are ignored.
func TestReplaceIgnored(t *testing.T) {
	t.Parallel()
	made := gittest.Init(t)
	made.Commit(t, "one")
	two := made.Commit(t, "two")
	three := made.Commit(t, "three")
	made.Git(t, "replace", "--graft", three)
	repo := open(t, made.Dir)
	listed, err := repo.List(t.Context(), gitrepo.Range{Include: []ident.Hash{fromID(t, three)}})
	if err != nil || len(listed) != 3 {
		t.Fatalf("listed %v, %v", listed, err)
	}
	err = repo.ReadCommits(t.Context(), listed[2:], func(c *gitrepo.Commit) error {
		if !slices.Equal(c.Parents, []ident.Hash{fromID(t, two)}) {
			t.Errorf("parents are %v", c.Parents)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
