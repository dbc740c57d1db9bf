package gitrepo

import (
	"context"
	"fmt"
	"strings"

	"makechain/internal/ident"
)

// Where git keeps branches and tags.
const (
	BranchPrefix = "refs/heads/"
	TagPrefix    = "refs/tags/"
)

// Ref is a branch or a tag.
type Ref struct {
	Name      string     // in full: refs/heads/main
	Commit    ident.Hash // what it points at; zero for a tag of something else
	Annotated bool       // a tag with an object of its own, which names the commit
}

// Branches lists all branches, in order of their names.
func (r *Repo) Branches(ctx context.Context) ([]Ref, error) { return r.refs(ctx, BranchPrefix) }

// Tags lists all tags, in order of their names.
func (r *Repo) Tags(ctx context.Context) ([]Ref, error) { return r.refs(ctx, TagPrefix) }

// Branch finds a branch by its name without prefix.
func (r *Repo) Branch(ctx context.Context, name string) (Ref, bool, error) {
	return r.ref(ctx, BranchPrefix+name)
}

// Tag finds a tag by its name without prefix.
func (r *Repo) Tag(ctx context.Context, name string) (Ref, bool, error) {
	return r.ref(ctx, TagPrefix+name)
}

func (r *Repo) ref(ctx context.Context, full string) (Ref, bool, error) {
	if strings.ContainsAny(full, "*?[\\ ") { // no ref has these in its name, and for-each-ref matches patterns
		return Ref{}, false, nil
	}
	refs, err := r.refs(ctx, full)
	for _, ref := range refs {
		if ref.Name == full { // the pattern a/b also finds a/b/c
			return ref, true, err
		}
	}
	return Ref{}, false, err
}

func (r *Repo) refs(ctx context.Context, pattern string) ([]Ref, error) {
	var refs []Ref
	err := r.eachLine(ctx, nil, func(line string) error {
		fields := strings.SplitN(line, " ", 3)
		if len(fields) != 3 {
			return fmt.Errorf("git for-each-ref printed %q", line)
		}
		ref := Ref{Name: fields[2], Annotated: fields[0] == "tag"}
		var err error
		if fields[0] == "commit" {
			ref.Commit, err = FromID(fields[1])
		}
		refs = append(refs, ref)
		return err
	}, "for-each-ref", "--format=%(objecttype) %(objectname) %(refname)", "--", pattern)
	if err != nil {
		return nil, err
	}
	return refs, r.peel(ctx, refs)
}

// peel finds the commits that annotated tags lead to, through tags of tags too.
func (r *Repo) peel(ctx context.Context, refs []Ref) error {
	var names strings.Builder
	var tags []*Ref
	for i := range refs {
		if refs[i].Annotated {
			tags = append(tags, &refs[i])
			names.WriteString(refs[i].Name + "^{commit}\n")
		}
	}
	if len(tags) == 0 {
		return nil
	}
	next := 0
	return r.eachLine(ctx, strings.NewReader(names.String()), func(line string) (err error) {
		if next == len(tags) {
			return fmt.Errorf("git cat-file printed %q, which nobody asked for", line)
		}
		if id, isCommit := strings.CutSuffix(line, " commit"); isCommit {
			tags[next].Commit, err = FromID(id)
		}
		next++
		return err
	}, "cat-file", "--batch-check=%(objectname) %(objecttype)")
}

// Head is the branch that is checked out. It fails with ErrDetached when there is none, and with ErrNoCommits when
// the branch is yet to be born.
func (r *Repo) Head(ctx context.Context) (Ref, error) {
	name, err := r.output(ctx, nil, "symbolic-ref", "--quiet", "HEAD")
	if code, ran := exitCode(err); ran && code == 1 {
		return Ref{}, ErrDetached
	}
	if err != nil {
		return Ref{}, err
	}
	ref, found, err := r.ref(ctx, name)
	if err == nil && !found {
		err = ErrNoCommits
	}
	return ref, err
}

// Resolve finds the commit that a revision names, such as HEAD, main~2 or a short id.
func (r *Repo) Resolve(ctx context.Context, revision string) (ident.Hash, error) {
	id, err := r.output(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if code, ran := exitCode(err); ran && code == 1 {
		return ident.Hash{}, fmt.Errorf("git knows no commit %q", revision)
	}
	if err != nil {
		return ident.Hash{}, err
	}
	return FromID(id)
}
