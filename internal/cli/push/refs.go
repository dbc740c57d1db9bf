package push

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/usage"
	"makechain/internal/gitrepo"
	"makechain/internal/push"
	"makechain/internal/term"
)

// selection selects the refs of a repository to push.
type selection struct {
	all, tags bool
}

// errNoRefs is returned when no ref is selected.
var errNoRefs = errors.New("nothing to push: no branch or tag with a commit is selected")

// choose returns the selected refs: those named, all branches, all tags, or the branch that is checked out when nothing
// else is requested.
func (s *selection) choose(ctx context.Context, command *cobra.Command, repo *gitrepo.Repo, names []string, other bool) ([]push.Ref, error) {
	refs, err := namedRefs(ctx, command, repo, names)
	if err != nil {
		return nil, err
	}
	if s.all {
		branches, err := repo.Branches(ctx)
		if err != nil {
			return nil, err
		}
		for _, branch := range branches {
			refs = append(refs, chainRef(branch))
		}
	}
	if s.tags {
		tags, err := repo.Tags(ctx)
		if err != nil {
			return nil, err
		}
		for _, tag := range tags {
			if tag.Commit != (push.Ref{}).Commit {
				refs = append(refs, chainRef(tag))
				continue
			}
			label := term.Text(push.ShortRefName(tag.Name))
			if _, err := fmt.Fprintf(command.ErrOrStderr(), "note: skipped tag %s, which does not point to a commit\n", label); err != nil {
				return nil, err
			}
		}
	}
	if len(refs) == 0 && !s.all && !s.tags && !other {
		head, err := repo.Head(ctx)
		if err != nil {
			return nil, err
		}
		refs = append(refs, chainRef(head))
	}
	if len(refs) == 0 && !other {
		return nil, errNoRefs
	}
	selected := map[string]bool{}
	return slices.DeleteFunc(refs, func(ref push.Ref) bool {
		twice := selected[ref.Name]
		selected[ref.Name] = true
		return twice
	}), nil
}

// chainRef converts a ref of git: it has its full name, and an annotated tag is its commit with the tag object.
func chainRef(ref gitrepo.Ref) push.Ref {
	return push.Ref{Name: ref.Name, Type: push.RefType(ref.Name), Commit: ref.Commit, TagObject: ref.TagObject}
}

func namedRefs(ctx context.Context, command *cobra.Command, repo *gitrepo.Repo, names []string) ([]push.Ref, error) {
	var refs []push.Ref
	for _, name := range names {
		source, target, renamed := strings.Cut(name, ":")
		if source == "" || renamed && target == "" {
			return nil, usage.Errorf(command, "%q: want <branch>, <tag> or <revision>:<ref>; --delete deletes a ref", name)
		}
		ref, found, err := localRef(ctx, command, repo, source)
		if err != nil {
			return nil, err
		}
		switch {
		case renamed:
			ref, err = renamedRef(ctx, repo, source, target, ref)
		case !found:
			err = usage.Advise(fmt.Errorf("this repository has no branch or tag %q", source), "git branch --all; or <revision>:<branch>")
		case ref.Commit == (push.Ref{}).Commit:
			err = fmt.Errorf("tag %q does not point to a commit", source)
		}
		if err != nil {
			return nil, err
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// localRef returns a branch or tag by its short or full name.
func localRef(ctx context.Context, command *cobra.Command, repo *gitrepo.Repo, name string) (push.Ref, bool, error) {
	branchName, tagName := name, name
	if short, full := strings.CutPrefix(name, gitrepo.BranchPrefix); full {
		branchName, tagName = short, ""
	} else if short, full := strings.CutPrefix(name, gitrepo.TagPrefix); full {
		branchName, tagName = "", short
	}
	branch, isBranch, err := repo.Branch(ctx, branchName)
	if err != nil {
		return push.Ref{}, false, err
	}
	tag, isTag, err := repo.Tag(ctx, tagName)
	switch {
	case err != nil:
		return push.Ref{}, false, err
	case isBranch && isTag:
		return push.Ref{}, false, usage.Errorf(command, "%q is a branch and a tag: use refs/heads/%s or refs/tags/%s", name, name, name)
	case isTag:
		return chainRef(tag), true, nil
	default:
		return chainRef(branch), isBranch, nil
	}
}

// renamedRef returns a ref that has another name on the chain. A short name is a branch, or a tag when the source is one.
func renamedRef(ctx context.Context, repo *gitrepo.Repo, source, target string, local push.Ref) (push.Ref, error) {
	commit, err := repo.Resolve(ctx, source)
	if err != nil {
		return push.Ref{}, err
	}
	prefix := gitrepo.BranchPrefix
	switch {
	case strings.HasPrefix(target, "refs/"):
		prefix = ""
	case local.Type == pb.RefType_REF_TYPE_TAG:
		prefix = gitrepo.TagPrefix
	}
	renamed := push.Ref{Name: prefix + target, Type: push.RefType(prefix + target), Commit: commit}
	if renamed.Type == pb.RefType_REF_TYPE_TAG {
		renamed.TagObject = local.TagObject
	}
	return renamed, nil
}

// isRef reports whether an argument names a branch or tag, or has the form <revision>:<ref>.
func isRef(ctx context.Context, repo *gitrepo.Repo, word string) (bool, error) {
	if strings.Contains(word, ":") || strings.HasPrefix(word, "refs/") {
		return true, nil
	}
	_, isBranch, err := repo.Branch(ctx, word)
	if err != nil || isBranch {
		return isBranch, err
	}
	_, isTag, err := repo.Tag(ctx, word)
	return isTag, err
}
