package feed

import (
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// Filter selects messages that match all conditions. A condition that is not set matches every message.
type Filter struct {
	// Project matches messages about a project, as returned by message.Envelope.Projects.
	Project *ident.Hash
	// Types matches messages of any of these types.
	Types []pb.MessageType
	// Owner matches messages of an account.
	Owner *ident.Address
}

// matcher is a filter in a form that is fast to evaluate.
type matcher struct {
	project *ident.Hash
	owner   *ident.Address
	types   uint64 // one bit per type
}

// anyType has the bits of all types set.
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
		if t > 0 { // a shift by 64 or more yields 0, so that an unknown type matches nothing
			m.types |= 1 << t
		}
	}
	return m
}

// matches reports whether a message about the given projects matches the filter.
func (m *matcher) matches(candidate *message.Envelope, projects []ident.Hash) bool {
	return m.types&(1<<candidate.Type()) != 0 &&
		(m.owner == nil || *m.owner == candidate.Owner) &&
		(m.project == nil || slices.Contains(projects, *m.project))
}
