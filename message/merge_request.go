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
	Replaces     Hash // an open merge request of the same requester that this one replaces; zero for none
}

// MergeRequestAdd returns a message that opens a merge request against a project. The message's hash becomes its id.
func MergeRequestAdd(project Hash, proposal MergeProposal) *pb.MessageData {
	body := &pb.MergeRequestAddBody{
		ProjectId:        project[:],
		SourceProjectId:  proposal.Source[:],
		SourceRef:        []byte(proposal.SourceRef),
		SourceCommitHash: proposal.SourceCommit[:],
		TargetRef:        []byte(proposal.TargetRef),
		Title:            proposal.Title,
	}
	if proposal.Replaces != (Hash{}) {
		body.Replaces = proposal.Replaces[:]
	}
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_ADD, Body: &pb.MessageData_MergeRequestAdd{MergeRequestAdd: body},
	}
}

// MergeRequestRemove returns a message that withdraws a merge request of the author, or declines that of another account.
func MergeRequestRemove(project, request Hash) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_REMOVE,
		Body: &pb.MessageData_MergeRequestRemove{MergeRequestRemove: &pb.MergeRequestRemoveBody{
			ProjectId: project[:], RequestId: request[:],
		}},
	}
}

// MergeRequestClose returns a message that closes a merge request with an outcome. For MERGED, mergeCommit is the commit of the
// target that contains the change; zero means the source commit. It must be zero for other outcomes.
func MergeRequestClose(project, request Hash, outcome pb.MergeRequestOutcome, mergeCommit Hash) *pb.MessageData {
	data := MergeRequestRemove(project, request)
	body := data.GetMergeRequestRemove()
	body.Outcome = outcome
	if mergeCommit != (Hash{}) {
		body.MergeCommit = mergeCommit[:]
	}
	return data
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
	f.optionalHash("replaces", b.GetReplaces())
}

func checkMergeRequestRemove(f *fields, b *pb.MergeRequestRemoveBody) {
	f.hash("project_id", b.GetProjectId())
	f.hash("request_id", b.GetRequestId())
	switch b.GetOutcome() {
	case pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED:
		f.optionalHash("merge_commit", b.GetMergeCommit())
		return
	case pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_UNSPECIFIED, pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_DECLINED,
		pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_WITHDRAWN:
	default:
		f.refuse("outcome", "%d, want MERGED, DECLINED, WITHDRAWN or none", b.GetOutcome())
	}
	if len(b.GetMergeCommit()) > 0 {
		f.refuse("merge_commit", "set, but the outcome is not MERGED")
	}
}
