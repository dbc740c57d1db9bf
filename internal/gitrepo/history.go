package gitrepo

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"makechain/internal/gitid"
	"makechain/internal/ident"
)

// Range is a set of commits: those that are reachable from some commits and not from others.
type Range struct {
	Include []ident.Hash // these commits and their ancestors
	Exclude []ident.Hash // without these and their ancestors; all must be in the repository

	MinParents int // excludes commits with fewer parents
}

// input returns the range in the format of git rev-list --stdin.
func (g Range) input() *strings.Reader {
	var lines strings.Builder
	for _, commit := range g.Include {
		lines.WriteString(gitid.String(commit) + "\n")
	}
	for _, commit := range g.Exclude {
		lines.WriteString("^" + gitid.String(commit) + "\n")
	}
	return strings.NewReader(lines.String())
}

// List returns the commits of a range in topological order, parents first.
func (r *Repo) List(ctx context.Context, commits Range) ([]ident.Hash, error) {
	if len(commits.Include) == 0 {
		return nil, nil
	}
	var list []ident.Hash
	err := r.eachLine(ctx, commits.input(), func(line string) error {
		commit, err := gitid.Parse(line)
		list = append(list, commit)
		return err
	}, "rev-list", "--topo-order", "--reverse", "--min-parents="+strconv.Itoa(commits.MinParents), "--stdin")
	return list, err
}

// Count returns the number of commits of a range.
func (r *Repo) Count(ctx context.Context, commits Range) (int, error) {
	printed, err := r.output(ctx, commits.input(), "rev-list", "--count", "--stdin")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(printed)
}

// Has returns which of the commits are in the repository.
func (r *Repo) Has(ctx context.Context, commits []ident.Hash) (map[ident.Hash]bool, error) {
	found := make(map[ident.Hash]bool, len(commits))
	if len(commits) == 0 {
		return found, nil
	}
	next := 0
	err := r.eachLine(ctx, idLines(commits), func(line string) error {
		if next == len(commits) {
			return fmt.Errorf("git cat-file printed an unexpected line %q", line)
		}
		if strings.HasSuffix(line, " commit") {
			found[commits[next]] = true
		}
		next++
		return nil
	}, "cat-file", "--batch-check=%(objectname) %(objecttype)")
	return found, err
}

// IsAncestor reports whether one commit is an ancestor of another or the same. Both must be in the repository.
func (r *Repo) IsAncestor(ctx context.Context, older, newer ident.Hash) (bool, error) {
	_, err := r.output(ctx, nil, "merge-base", "--is-ancestor", gitid.String(older), gitid.String(newer))
	if code, ran := exitCode(err); ran && code == 1 {
		return false, nil
	}
	return err == nil, err
}

// idLines returns the git ids of commits, one per line.
func idLines(commits []ident.Hash) *strings.Reader {
	var lines strings.Builder
	for _, commit := range commits {
		lines.WriteString(gitid.String(commit) + "\n")
	}
	return strings.NewReader(lines.String())
}
