package gitrepo

import (
	"context"
	"fmt"
	"strings"

	"makechain/internal/gitid"
	"makechain/internal/ident"
)

// Prefixes of the full names of branches and tags.
const (
	BranchPrefix = "refs/heads/"
	TagPrefix    = "refs/tags/"
)

// Ref is a branch or a tag.
type Ref struct {
	Name      string     // the full name: refs/heads/main
	Commit    ident.Hash // zero for a tag of another object
	TagObject ident.Hash // the tag object that the ref points at; zero for none
}

// Branches returns all branches, sorted by name.
func (r *Repo) Branches(ctx context.Context) ([]Ref, error) { return r.refs(ctx, BranchPrefix) }

// Tags returns all tags, sorted by name.
func (r *Repo) Tags(ctx context.Context) ([]Ref, error) { return r.refs(ctx, TagPrefix) }

// Branch returns a branch by its name without prefix, and reports whether it exists.
func (r *Repo) Branch(ctx context.Context, name string) (Ref, bool, error) {
	return r.ref(ctx, BranchPrefix+name)
}

// Tag returns a tag by its name without prefix, and reports whether it exists.
func (r *Repo) Tag(ctx context.Context, name string) (Ref, bool, error) {
	return r.ref(ctx, TagPrefix+name)
}

func (r *Repo) ref(ctx context.Context, full string) (Ref, bool, error) {
	if strings.ContainsAny(full, "*?[\\ ") { // not allowed in ref names, and patterns to for-each-ref
		return Ref{}, false, nil
	}
	refs, err := r.refs(ctx, full)
	for _, ref := range refs {
		if ref.Name == full { // the pattern a/b also matches a/b/c
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
		ref := Ref{Name: fields[2]}
		var err error
		switch fields[0] {
		case "commit":
			ref.Commit, err = gitid.Parse(fields[1])
		case "tag":
			ref.TagObject, err = gitid.Parse(fields[1])
		}
		refs = append(refs, ref)
		return err
	}, "for-each-ref", "--format=%(objecttype) %(objectname) %(refname)", "--", pattern)
	if err != nil {
		return nil, err
	}
	return refs, r.peel(ctx, refs)
}

// peel sets the commits of annotated tags, also of tags of tags.
func (r *Repo) peel(ctx context.Context, refs []Ref) error {
	var names strings.Builder
	var tags []*Ref
	for i := range refs {
		if refs[i].TagObject != (ident.Hash{}) {
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
			return fmt.Errorf("git cat-file printed an unexpected line %q", line)
		}
		if id, isCommit := strings.CutSuffix(line, " commit"); isCommit {
			tags[next].Commit, err = gitid.Parse(id)
		}
		next++
		return err
	}, "cat-file", "--batch-check=%(objectname) %(objecttype)")
}

// Head returns the branch that is checked out. It returns ErrDetached when HEAD is not a branch, and ErrNoCommits when the
// branch has no commits.
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

// Resolve returns the commit of a revision, such as HEAD, main~2 or an abbreviated id.
func (r *Repo) Resolve(ctx context.Context, revision string) (ident.Hash, error) {
	id, err := r.output(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if code, ran := exitCode(err); ran && code == 1 {
		return ident.Hash{}, fmt.Errorf("git has no commit %q", revision)
	}
	if err != nil {
		return ident.Hash{}, err
	}
	return gitid.Parse(id)
}
