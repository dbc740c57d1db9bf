package push

import (
	"fmt"

	"makechain/internal/gitrepo"
	"makechain/message"

	pb "makechain/gen/makechain"
)

// NotForwardError is a ref that would lose commits of the chain, or a tag that exists.
type NotForwardError struct {
	Ref     Ref
	There   message.Hash // where the chain has it
	Here    bool         // the repository has that commit
	Shallow bool         // the repository's history is cut off, so the way may just not be seen
}

func (e *NotForwardError) Error() string {
	there := short(e.There)
	switch {
	case e.Ref.Type == pb.RefType_REF_TYPE_TAG:
		return fmt.Sprintf("the chain has a tag %q already, at %s; tags do not move unless --force is given", e.Ref.Name, there)
	case e.Here:
		return fmt.Sprintf("%q is not a fast-forward: the chain has it at %s, which is no ancestor of %s here; "+
			"merge or rebase first, or replace it with --force", e.Ref.Name, there, short(e.Ref.Commit))
	case e.Shallow:
		return fmt.Sprintf("%q may not be a fast-forward: the chain has it at %s, which is not in this shallow clone; "+
			"run git fetch --unshallow and try again", e.Ref.Name, there)
	default:
		return fmt.Sprintf("%q is not a fast-forward: the chain has it at %s, which is not in this repository; "+
			"fetch it from where it was pushed and merge, or replace it with --force", e.Ref.Name, there)
	}
}

// TypeError is a branch that the chain has as a tag, or the other way round.
type TypeError struct {
	Name  string
	There pb.RefType
}

func (e *TypeError) Error() string {
	word := "branch"
	if e.There == pb.RefType_REF_TYPE_TAG {
		word = "tag"
	}
	return fmt.Sprintf("%q is a %s on the chain, where branches and tags share one space of names; "+
		"delete it there first, or push under another name", e.Name, word)
}

// NameClashError is a branch and a tag of one name.
type NameClashError struct{ Name string }

func (e *NameClashError) Error() string {
	return fmt.Sprintf("there is a branch and a tag %q, and on the chain they share one space of names; push one of them under another name", e.Name)
}

// LongNameError is a ref whose name does not fit.
type LongNameError struct{ Name string }

func (e *LongNameError) Error() string {
	return fmt.Sprintf("the name %.40q... has %d bytes, the chain takes %d; push it under a shorter name", e.Name, len(e.Name), message.MaxRefName)
}

// NoRefError is a ref to delete that is not there.
type NoRefError struct{ Name string }

func (e *NoRefError) Error() string {
	return fmt.Sprintf("the chain has no ref %q to delete; makechain ref list shows those it has", e.Name)
}

// TooManyParentsError is a commit that no bundle can carry.
type TooManyParentsError struct{ Commit message.Hash }

func (e *TooManyParentsError) Error() string {
	return fmt.Sprintf("commit %s has more than %d parents, which the chain does not take; nothing was sent", short(e.Commit), message.MaxParents)
}

// ShallowError is a commit whose parent neither the clone nor the chain has.
type ShallowError struct{ Commit, Parent message.Hash }

func (e *ShallowError) Error() string {
	return fmt.Sprintf("this clone is shallow: neither it nor the chain has %s, the parent of %s; run git fetch --unshallow and try again",
		short(e.Parent), short(e.Commit))
}

// NoRoomError is a history that needs more refs than the project has room for.
type NoRoomError struct{ Lines, Room int }

func (e *NoRoomError) Error() string {
	return fmt.Sprintf("so long a history is held by temporary refs until its branch is there; this one has %d lines side by side, "+
		"and the project has room for %d more refs; push an older commit first (makechain push <project> <commit>:<branch>), or delete refs",
		e.Lines, e.Room)
}

// shortDigits is how much of a commit's id a sentence shows.
const shortDigits = 8

func short(commit message.Hash) string { return gitrepo.ToID(commit)[:shortDigits] }
