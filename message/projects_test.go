package message

import (
	"slices"
	"testing"

	pb "makechain/gen/makechain"
)

// TestProjects names what messages are about. That the ledger touches the same projects is tested where blocks
// are indexed.
func TestProjects(t *testing.T) {
	t.Parallel()
	create := mustSign(t, ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	fork := mustSign(t, Fork(otherID, commitID, "mine", pb.Visibility_VISIBILITY_PUBLIC))
	request := mustSign(t, MergeRequestAdd(projectID, MergeProposal{
		Source: otherID, SourceRef: "topic", SourceCommit: commitID, TargetRef: "main", Title: "please",
	}))
	tests := []struct {
		of   *Envelope
		want []Hash
	}{
		{create, []Hash{create.Hash}},
		{fork, []Hash{fork.Hash, otherID}},
		{request, []Hash{projectID, otherID}},
		{mustSign(t, MergeRequestRemove(projectID, otherID)), []Hash{projectID}},
		{mustSign(t, ProjectRemove(projectID)), []Hash{projectID}},
		{mustSign(t, ProjectArchive(projectID)), []Hash{projectID}},
		{mustSign(t, RefDelete(projectID, "main", Hash{}, 1)), []Hash{projectID}},
		{mustSign(t, Star(projectID)), []Hash{projectID}},
		{mustSign(t, Unstar(projectID)), []Hash{projectID}},
		{mustSign(t, Like(projectID, commitID)), []Hash{projectID}},
		{mustSign(t, Unlike(projectID, commitID)), []Hash{projectID}},
		{mustSign(t, Follow(stranger)), nil},
		{mustSign(t, Unfollow(stranger)), nil},
		{mustSign(t, UsernameCreate("someone")), nil},
	}
	for _, test := range tests {
		if got := test.of.Projects(); !slices.Equal(got, test.want) {
			t.Errorf("%s is about %v, want %v", test.of.Type(), got, test.want)
		}
	}
}
