package message

import (
	"slices"
	"testing"

	pb "makechain/gen/makechain"
)

// TestMergeRequestAddBounds checks the field limits of MERGE_REQUEST_ADD.
//
// Rules: P5/MERGE_REQUEST_ADD.
func TestMergeRequestAddBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.MergeRequestAddBody
	good := func() *pb.MessageData {
		return MergeRequestAdd(projectID, MergeProposal{
			Source: otherID, SourceRef: "refs/heads/fix", SourceCommit: commitID, TargetRef: "refs/heads/main", Title: "Fix",
		})
	}
	title := func(n int) func(body) { return func(b body) { b.Title = zeros(n) } }
	checkBounds(t, good, (*pb.MessageData).GetMergeRequestAdd, slices.Concat(
		refNameBounds("merge_request_add.source_ref", func(b body, v []byte) { b.SourceRef = v }),
		refNameBounds("merge_request_add.target_ref", func(b body, v []byte) { b.TargetRef = v }),
		[]bound[body]{
			{"no project", func(b body) { b.ProjectId = nil }, "merge_request_add.project_id: 0 bytes, want 32"},
			{"no source", func(b body) { b.SourceProjectId = nil }, "merge_request_add.source_project_id: 0 bytes, want 32"},
			{
				"same project", func(b body) { b.SourceProjectId = projectID[:] },
				"merge_request_add.source_project_id: same as project_id, want two different projects",
			},
			{"same refs", func(b body) { b.SourceRef = b.TargetRef }, ""},
			{"no commit", func(b body) { b.SourceCommitHash = nil }, "merge_request_add.source_commit_hash: 0 bytes, want 32"},
			{"shortest title", title(1), ""},
			{"longest title", title(200), ""},
			{"no title", title(0), "merge_request_add.title: 0 bytes, at least 1"},
			{"title too long", title(201), "merge_request_add.title: 201 bytes, at most 200"},
		}))
}

// TestMergeRequestRemoveBounds checks the ids of MERGE_REQUEST_REMOVE.
//
// Rules: P5/all.
func TestMergeRequestRemoveBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.MergeRequestRemoveBody
	checkBounds(t, func() *pb.MessageData { return MergeRequestRemove(projectID, otherID) }, (*pb.MessageData).GetMergeRequestRemove, []bound[body]{
		{"no project", func(b body) { b.ProjectId = nil }, "merge_request_remove.project_id: 0 bytes, want 32"},
		{"no request", func(b body) { b.RequestId = nil }, "merge_request_remove.request_id: 0 bytes, want 32"},
	})
}
