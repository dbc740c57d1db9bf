package rest

import (
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// eventFilter chooses messages as SubscribeMessages does: conditions combine, and those that are not set choose
// everything. Nil chooses everything too.
type eventFilter struct {
	project *ident.Hash
	owner   *ident.Address
	types   []pb.MessageType
}

func (f *eventFilter) takesAll() bool {
	return f == nil || f.project == nil && f.owner == nil && len(f.types) == 0
}

// eventSubject is what filters look at.
type eventSubject struct {
	kind     pb.MessageType
	owner    ident.Address
	projects []ident.Hash // that the message is about
}

func newSubject(m *message.Envelope) *eventSubject {
	return &eventSubject{kind: m.Type(), owner: m.Owner, projects: m.Projects()}
}

// takes says whether what has a subject is wanted. What has none, such as a block, is.
func (f *eventFilter) takes(subject *eventSubject) bool {
	if subject == nil || f.takesAll() {
		return true
	}
	return (f.owner == nil || *f.owner == subject.owner) &&
		(len(f.types) == 0 || slices.Contains(f.types, subject.kind)) &&
		(f.project == nil || slices.Contains(subject.projects, *f.project))
}
