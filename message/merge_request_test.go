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
			{"replaces another", func(b body) { b.Replaces = otherID[:] }, ""},
			{"replaces part of an id", func(b body) { b.Replaces = otherID[:31] }, "merge_request_add.replaces: 31 bytes, want 0 or 32"},
		}))
}

// TestMergeRequestRemoveBounds checks the fields of MERGE_REQUEST_REMOVE: every outcome but SUPERSEDED, and a merge commit with
// MERGED only.
//
// Rules: P5/all, P5/MERGE_REQUEST_REMOVE.
func TestMergeRequestRemoveBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.MergeRequestRemoveBody
	closing := func(outcome pb.MergeRequestOutcome, commit int) func(body) {
		return func(b body) { b.Outcome, b.MergeCommit = outcome, commitID[:commit] }
	}
	checkBounds(t, func() *pb.MessageData { return MergeRequestRemove(projectID, otherID) }, (*pb.MessageData).GetMergeRequestRemove, []bound[body]{
		{"no project", func(b body) { b.ProjectId = nil }, "merge_request_remove.project_id: 0 bytes, want 32"},
		{"no request", func(b body) { b.RequestId = nil }, "merge_request_remove.request_id: 0 bytes, want 32"},
		{"merged", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED, 0), ""},
		{"merged as another commit", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED, 32), ""},
		{
			"merged as part of a commit", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED, 20),
			"merge_request_remove.merge_commit: 20 bytes, want 0 or 32",
		},
		{"declined", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_DECLINED, 0), ""},
		{
			"declined as a commit", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_DECLINED, 32),
			"merge_request_remove.merge_commit: set, but the outcome is not MERGED",
		},
		{"withdrawn", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_WITHDRAWN, 0), ""},
		{
			"a commit without an outcome", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_UNSPECIFIED, 32),
			"merge_request_remove.merge_commit: set, but the outcome is not MERGED",
		},
		{
			"superseded", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_SUPERSEDED, 0),
			"merge_request_remove.outcome: 4, want MERGED, DECLINED, WITHDRAWN or none",
		},
		{"unknown outcome", closing(5, 0), "merge_request_remove.outcome: 5, want MERGED, DECLINED, WITHDRAWN or none"},
	})
}
