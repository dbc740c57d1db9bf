package message

import (
	"bytes"

	pb "makechain/gen/makechain"
)

// MaxMergeRequestTitle is the longest title of a merge request, in bytes (P5).
const MaxMergeRequestTitle = 200

// MergeProposal describes a request to merge a ref of a fork into a project.
type MergeProposal struct {
	Source       Hash // the fork's project id
	SourceRef    string
	SourceCommit Hash // what SourceRef points at
	TargetRef    string
	Title        string
}

// MergeRequestAdd returns a message that opens a merge request against a project. The message's hash becomes its id.
func MergeRequestAdd(project Hash, proposal MergeProposal) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_ADD,
		Body: &pb.MessageData_MergeRequestAdd{MergeRequestAdd: &pb.MergeRequestAddBody{
			ProjectId:        project[:],
			SourceProjectId:  proposal.Source[:],
			SourceRef:        []byte(proposal.SourceRef),
			SourceCommitHash: proposal.SourceCommit[:],
			TargetRef:        []byte(proposal.TargetRef),
			Title:            proposal.Title,
		}},
	}
}

// MergeRequestRemove returns a message that withdraws or closes a merge request against a project.
func MergeRequestRemove(project, request Hash) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_REMOVE,
		Body: &pb.MessageData_MergeRequestRemove{MergeRequestRemove: &pb.MergeRequestRemoveBody{
			ProjectId: project[:], RequestId: request[:],
		}},
	}
}

func checkMergeRequestAdd(f *fields, b *pb.MergeRequestAddBody) {
	f.hash("project_id", b.GetProjectId())
	f.hash("source_project_id", b.GetSourceProjectId())
	if bytes.Equal(b.GetProjectId(), b.GetSourceProjectId()) {
		f.refuse("source_project_id", "same as project_id, want two different projects")
	}
	f.refName("source_ref", b.GetSourceRef())
	f.hash("source_commit_hash", b.GetSourceCommitHash())
	f.refName("target_ref", b.GetTargetRef())
	f.size("title", len(b.GetTitle()), 1, MaxMergeRequestTitle)
}

func checkMergeRequestRemove(f *fields, b *pb.MergeRequestRemoveBody) {
	f.hash("project_id", b.GetProjectId())
	f.hash("request_id", b.GetRequestId())
}
