package push

import (
	"fmt"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/message"
)

// NotForwardError is a branch that would lose commits of the chain, or a tag that would move.
type NonFastForwardError struct {
	Ref     Ref
	Remote  message.Hash // where the chain has it
	IsLocal bool         // the repository has that commit
	Shallow bool         // the repository's history is cut off, so the way may just not be seen
}

func (e *NonFastForwardError) Error() string {
	label, there := ShortRefName(e.Ref.Name), short(e.Remote)
	switch {
	case e.Ref.Type == pb.RefType_REF_TYPE_TAG:
		return fmt.Sprintf("the chain has the tag %s already, at %s", label, there)
	case e.IsLocal:
		return fmt.Sprintf("%s is not a fast-forward: the chain has it at %s, which is no ancestor of %s", label, there, short(e.Ref.Commit))
	case e.Shallow:
		return fmt.Sprintf("%s may not be a fast-forward: the chain has it at %s, which is not in this shallow clone", label, there)
	default:
		return fmt.Sprintf("%s is not a fast-forward: the chain has it at %s, which is not in this repository", label, there)
	}
}

// TypeError is a branch that the chain has as a tag, or the other way round.
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

// LongNameError is a ref whose name does not fit.
type RefNameTooLongError struct{ Name string }

func (e *RefNameTooLongError) Error() string {
	return fmt.Sprintf("the name %.40q... has %d bytes, and the chain takes %d", e.Name, len(e.Name), message.MaxRefName)
}

// NoRefError is a ref to delete that is not there.
type RefNotFoundError struct{ Name string }

func (e *RefNotFoundError) Error() string { return fmt.Sprintf("the chain has no ref %q", e.Name) }

// TooManyRefsError is a push of more new refs than the project has room for.
type TooManyRefsError struct{ New, Available int }

func (e *TooManyRefsError) Error() string {
	return fmt.Sprintf("the push makes %d refs, and the project has room for %d more", e.New, e.Available)
}

// TooManyParentsError is a commit that no bundle can carry.
type TooManyParentsError struct{ Commit message.Hash }

func (e *TooManyParentsError) Error() string {
	return fmt.Sprintf("commit %s has more than %d parents, which the chain does not take; nothing was sent", short(e.Commit), message.MaxParents)
}

// ShallowError is a commit whose parent neither the clone nor the chain has.
type ShallowError struct{ Commit, Parent message.Hash }

func (e *ShallowError) Error() string {
	return fmt.Sprintf("this clone is shallow: neither it nor the chain has %s, the parent of %s", short(e.Parent), short(e.Commit))
}

// NoRoomError is a long history that needs more refs to hold it than the project has room for.
type TooManyTemporaryRefsError struct{ Needed, Available int }

func (e *TooManyTemporaryRefsError) Error() string {
	return fmt.Sprintf("so long a history is held by refs of the push until its branch is there; this one has %d lines side by side, "+
		"and the project has room for %d", e.Needed, e.Available)
}

// Label is a ref as people say it: without the place where git keeps branches and tags.
func ShortRefName(name string) string {
	for _, place := range []string{gitrepo.BranchPrefix, gitrepo.TagPrefix} {
		if label, found := strings.CutPrefix(name, place); found && label != "" {
			return label
		}
	}
	return name
}

// shortDigits is how much of a commit's id a sentence shows.
const shortDigits = 8

func short(commit message.Hash) string { return gitrepo.ToID(commit)[:shortDigits] }
