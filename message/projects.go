package message

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Projects are the projects a message is about, the one it writes to first: feeds and activity lists go by
// it. A project that is made is about itself, a fork and a merge request about their source too, a star and
// a like about what they point at.
func (e *Envelope) Projects() []Hash {
	switch b := e.Data.GetBody().(type) {
	case *pb.MessageData_ProjectCreate:
		return []Hash{e.Hash}
	case *pb.MessageData_Fork:
		return appendHash([]Hash{e.Hash}, b.Fork.GetSourceProjectId())
	case *pb.MessageData_ProjectRemove:
		return appendHash(nil, b.ProjectRemove.GetProjectId())
	case *pb.MessageData_MergeRequestAdd:
		return appendHash(appendHash(nil, b.MergeRequestAdd.GetProjectId()), b.MergeRequestAdd.GetSourceProjectId())
	case *pb.MessageData_LinkAdd:
		return appendHash(nil, b.LinkAdd.GetTargetProjectId())
	case *pb.MessageData_LinkRemove:
		return appendHash(nil, b.LinkRemove.GetTargetProjectId())
	case *pb.MessageData_ReactionAdd:
		return appendHash(nil, b.ReactionAdd.GetTargetProjectId())
	case *pb.MessageData_ReactionRemove:
		return appendHash(nil, b.ReactionRemove.GetTargetProjectId())
	}
	if project, ok := e.Project(); ok {
		return []Hash{project}
	}
	return nil
}

// appendHash leaves out what is no id: a follow has no project, and Validate refuses other lengths.
func appendHash(hashes []Hash, id []byte) []Hash {
	if h, ok := ident.HashFrom(id); ok {
		return append(hashes, h)
	}
	return hashes
}
