package gitrepo

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"makechain/internal/ident"
)

// Range is the commits that some reach and others do not.
type Range struct {
	Include []ident.Hash // these and their ancestors
	Exclude []ident.Hash // without these and their ancestors; all must be here

	MinParents int // leaves out commits with fewer parents
}

// input is the range as git reads it.
func (g Range) input() *strings.Reader {
	var lines strings.Builder
	for _, commit := range g.Include {
		lines.WriteString(ToID(commit) + "\n")
	}
	for _, commit := range g.Exclude {
		lines.WriteString("^" + ToID(commit) + "\n")
	}
	return strings.NewReader(lines.String())
}

// List lists the commits of a range, parents before children, and lines of history not mixed where that can be.
func (r *Repo) List(ctx context.Context, commits Range) ([]ident.Hash, error) {
	if len(commits.Include) == 0 {
		return nil, nil
	}
	var list []ident.Hash
	err := r.eachLine(ctx, commits.input(), func(line string) error {
		commit, err := FromID(line)
		list = append(list, commit)
		return err
	}, "rev-list", "--topo-order", "--reverse", "--min-parents="+strconv.Itoa(commits.MinParents), "--stdin")
	return list, err
}

// Count counts the commits of a range.
func (r *Repo) Count(ctx context.Context, commits Range) (int, error) {
	printed, err := r.output(ctx, commits.input(), "rev-list", "--count", "--stdin")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(printed)
}

// Have says which commits are in the repository.
func (r *Repo) Has(ctx context.Context, commits []ident.Hash) (map[ident.Hash]bool, error) {
	here := make(map[ident.Hash]bool, len(commits))
	if len(commits) == 0 {
		return here, nil
	}
	next := 0
	err := r.eachLine(ctx, idLines(commits), func(line string) error {
		if next == len(commits) {
			return fmt.Errorf("git cat-file printed %q, which nobody asked for", line)
		}
		if strings.HasSuffix(line, " commit") {
			here[commits[next]] = true
		}
		next++
		return nil
	}, "cat-file", "--batch-check=%(objectname) %(objecttype)")
	return here, err
}

// IsAncestor says whether one commit is an ancestor of another, or the same. Both must be here.
func (r *Repo) IsAncestor(ctx context.Context, older, newer ident.Hash) (bool, error) {
	_, err := r.output(ctx, nil, "merge-base", "--is-ancestor", ToID(older), ToID(newer))
	if code, ran := exitCode(err); ran && code == 1 {
		return false, nil
	}
	return err == nil, err
}

// idLines are ids as git reads them, one a line.
func idLines(commits []ident.Hash) *strings.Reader {
	var lines strings.Builder
	for _, commit := range commits {
		lines.WriteString(ToID(commit) + "\n")
	}
	return strings.NewReader(lines.String())
}
