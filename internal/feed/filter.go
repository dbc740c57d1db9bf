package feed

import (
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// Filter chooses messages. Conditions combine, and those that are not set choose everything.
type Filter struct {
	// Project chooses what is about a project, as message.Envelope.Projects has it: what it is made by, what
	// changes it or points at it, forks of it, and merge requests from and to it.
	Project *ident.Hash
	// Types chooses by type.
	Types []pb.MessageType
	// Owner chooses what an account sent.
	Owner *ident.Address
}

// matcher is a filter in the form that is quick to ask.
type matcher struct {
	project *ident.Hash
	owner   *ident.Address
	types   uint64 // a bit for each type
}

// anyType has the bits of all types.
const anyType = ^uint64(0)

func (f Filter) matcher() matcher {
	m := matcher{types: anyType}
	if f.Project != nil {
		project := *f.Project
		m.project = &project
	}
	if f.Owner != nil {
		owner := *f.Owner
		m.owner = &owner
	}
	if len(f.Types) > 0 {
		m.types = 0
	}
	for _, t := range f.Types {
		if t > 0 { // shifting by 64 or more gives 0: an unknown type matches nothing
			m.types |= 1 << t
		}
	}
	return m
}

// matches says whether a message, which is about some projects, is wanted.
func (m *matcher) matches(candidate *message.Envelope, projects []ident.Hash) bool {
	return m.types&(1<<candidate.Type()) != 0 &&
		(m.owner == nil || *m.owner == candidate.Owner) &&
		(m.project == nil || slices.Contains(projects, *m.project))
}
