package push

import (
	"fmt"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/message"
)

// NonFastForwardError is returned for a branch update that would drop commits from the chain, and for the update of a tag.
type NonFastForwardError struct {
	Ref     Ref
	Remote  message.Hash // the commit of the ref on the chain
	IsLocal bool         // the repository has that commit
	Shallow bool         // the clone is shallow, so the ancestry may just not be visible
}

func (e *NonFastForwardError) Error() string {
	label, remote := ShortRefName(e.Ref.Name), short(e.Remote)
	switch {
	case e.Ref.Type == pb.RefType_REF_TYPE_TAG:
		return fmt.Sprintf("the chain has the tag %s already, at %s", label, remote)
	case e.IsLocal:
		return fmt.Sprintf("%s is not a fast-forward: the chain has it at %s, which is not an ancestor of %s", label, remote, short(e.Ref.Commit))
	case e.Shallow:
		return fmt.Sprintf("%s may not be a fast-forward: the chain has it at %s, which is not in this shallow clone", label, remote)
	default:
		return fmt.Sprintf("%s is not a fast-forward: the chain has it at %s, which is not in this repository", label, remote)
	}
}

// ChangedError is returned for a ref that no longer has the value that the request expects.
type ChangedError struct {
	Name   string
	Remote message.Hash // the object of the ref on the chain; zero when it does not exist
}

func (e *ChangedError) Error() string {
	if e.Remote == (message.Hash{}) {
		return ShortRefName(e.Name) + " no longer exists on the chain"
	}
	return fmt.Sprintf("%s has been updated on the chain to %s", ShortRefName(e.Name), short(e.Remote))
}

// RefTypeError is returned for a branch that is a tag on the chain, and the other way round.
type RefTypeError struct {
	Name string
	Type pb.RefType
}

func (e *RefTypeError) Error() string {
	word := "branch"
	if e.Type == pb.RefType_REF_TYPE_TAG {
		word = "tag"
	}
	return fmt.Sprintf("the chain has %s as a %s, and a ref keeps its type", e.Name, word)
}

// RefNameTooLongError is returned for a ref name that is longer than message.MaxRefName.
type RefNameTooLongError struct{ Name string }

func (e *RefNameTooLongError) Error() string {
	return fmt.Sprintf("the name %.40q... has %d bytes; the maximum is %d", e.Name, len(e.Name), message.MaxRefName)
}

// RefNotFoundError is returned when a ref to delete does not exist.
type RefNotFoundError struct{ Name string }

func (e *RefNotFoundError) Error() string { return fmt.Sprintf("the chain has no ref %q", e.Name) }

// TooManyRefsError is returned when a push creates more refs than the quota of the project allows.
type TooManyRefsError struct{ New, Available int }

func (e *TooManyRefsError) Error() string {
	return fmt.Sprintf("the push creates %d refs; the quota of the project allows %d more", e.New, e.Available)
}

// TooManyParentsError is returned for a commit with more than message.MaxParents parents.
type TooManyParentsError struct{ Commit message.Hash }

func (e *TooManyParentsError) Error() string {
	return fmt.Sprintf("commit %s has more than %d parents, the maximum on the chain; nothing was sent", short(e.Commit), message.MaxParents)
}

// ShallowError is returned for a commit whose parent is neither in the shallow clone nor on the chain.
type ShallowError struct{ Commit, Parent message.Hash }

func (e *ShallowError) Error() string {
	return fmt.Sprintf("this clone is shallow: neither it nor the chain has %s, the parent of %s", short(e.Parent), short(e.Commit))
}

// TooManyTemporaryRefsError is returned when the temporary refs for a long history exceed the quota of the project.
type TooManyTemporaryRefsError struct{ Needed, Available int }

func (e *TooManyTemporaryRefsError) Error() string {
	return fmt.Sprintf("a history of this length needs temporary refs until its branch exists: one for each of its %d parallel lines, "+
		"and the quota of the project allows %d", e.Needed, e.Available)
}

// ShortRefName returns the name of a branch or tag without refs/heads/ or refs/tags/, and other names unchanged.
func ShortRefName(name string) string {
	for _, prefix := range []string{gitrepo.BranchPrefix, gitrepo.TagPrefix} {
		if label, found := strings.CutPrefix(name, prefix); found && label != "" {
			return label
		}
	}
	return name
}

// shortDigits is the number of hex digits of a commit id in an error.
const shortDigits = 8

func short(commit message.Hash) string { return gitid.String(commit)[:shortDigits] }
