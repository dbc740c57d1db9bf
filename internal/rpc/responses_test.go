package rpc_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
)

// examples returns a call of every method and its response.
func (s *populated) examples() []example {
	s.Helper()
	return slices.Concat(s.projectExamples(), s.gitExamples(), s.accountExamples(), s.keyExamples(), s.socialExamples(),
		s.messageExamples(), s.proofExamples(), s.nodeExamples(), s.submitExamples())
}

// TestResponses checks every field of the response of every method.
//
// Rules: P1.1, P8.4, P8.6, P9.6, P10.6.
func TestResponses(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	for _, q := range s.examples() {
		s.expectResponse(t, q.method, q.req, q.want)
	}
}

// TestEveryMethodIsCalled checks that there is an example of every method of the service.
func TestEveryMethodIsCalled(t *testing.T) {
	t.Parallel()
	asked := methodsOf(newPopulated(t).examples())
	for i := range methods().Len() {
		method := string(methods().Get(i).Name())
		if !slices.Contains(asked, method) {
			t.Errorf("no example calls %s", method)
		}
		asked = slices.DeleteFunc(asked, func(name string) bool { return name == method })
	}
	if len(asked) > 0 {
		t.Errorf("unknown methods %v", asked)
	}
}

// unsetFields returns the fields that no response of TestResponses has, each with the reason.
func unsetFields() map[protoreflect.FullName]string {
	return map[protoreflect.FullName]string{
		"makechain.Message.data_bytes":                                  "only clients send it",
		"makechain.SubmitMessageResponse.block_number":                  "TestSubmitAndWait",
		"makechain.GetMessageStatusResponse.stage":                      "TestFate",
		"makechain.GetMessageStatusResponse.code":                       "TestFate",
		"makechain.GetMessageStatusResponse.error":                      "TestFate",
		"makechain.VerifyOperationProofResponse.error":                  "TestStaleProofs",
		"makechain.VerifyExclusionProofResponse.error":                  "TestStaleProofs",
		"makechain.VerifyStorageQuotaProofResponse.error":               "TestStaleProofs",
		"makechain.VerifyOperationProofAtBlockResponse.error":           "TestProofsAtBlocks",
		"makechain.VerifyExclusionProofAtBlockResponse.error":           "TestProofsAtBlocks",
		"makechain.ReplayVerificationInfo.detail":                       "TestNodeFromSnapshot",
		"makechain.ReplayVerificationInfo.blocked_block_number":         "nothing is waited for: storage claims carry their evidence",
		"makechain.ReplayVerificationInfo.waiting_on_external_evidence": "nothing is waited for: storage claims carry their evidence",
		"makechain.GetCompoundProofResponse.prune_marker_exists":        "needs a set over its quota; the proof package has one",
		"makechain.GetNodeStatusResponse.pending_blocks":                "TestBlockWithoutState",
		"makechain.GetNodeStatusResponse.catching_up":                   "TestNodeFromSnapshot",
		"makechain.RulesActivation.version":                             "TestActivateRules of internal/node",
		"makechain.RulesActivation.height":                              "TestActivateRules of internal/node",
	}
}

// TestEveryFieldIsSet checks that every field is set in some response.
func TestEveryFieldIsSet(t *testing.T) {
	t.Parallel()
	answered := map[protoreflect.FullName]bool{}
	for _, q := range newPopulated(t).examples() {
		markFields(q.want.ProtoReflect(), answered)
	}
	known := map[protoreflect.FullName]bool{}
	for i := range methods().Len() {
		checkFields(t, methods().Get(i).Output(), answered, known)
	}
	for field := range unsetFields() {
		if !known[field] {
			t.Errorf("no response can have the field %s", field)
		}
	}
}

// opaque reports whether the service returns a message unchanged.
func opaque(m protoreflect.MessageDescriptor) bool {
	name := m.Name()
	return name == "Block" || name == "ExecutionPayload" || name == "MessageData"
}

func markFields(m protoreflect.Message, answered map[protoreflect.FullName]bool) {
	m.Range(func(fd protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		answered[fd.FullName()] = true
		switch {
		case fd.Message() == nil || opaque(fd.Message()):
		case fd.IsList():
			for i := range value.List().Len() {
				markFields(value.List().Get(i).Message(), answered)
			}
		default:
			markFields(value.Message(), answered)
		}
		return true
	})
}

func checkFields(t *testing.T, m protoreflect.MessageDescriptor, answered, known map[protoreflect.FullName]bool) {
	t.Helper()
	for i := range m.Fields().Len() {
		fd := m.Fields().Get(i)
		if known[fd.FullName()] || opaque(m) || fd.Name() == "next_cursor" { // TestEveryList follows cursors
			continue
		}
		known[fd.FullName()] = true
		switch _, excused := unsetFields()[fd.FullName()]; {
		case answered[fd.FullName()] && excused:
			t.Errorf("field %s is listed as unset, but a response has it", fd.FullName())
		case !answered[fd.FullName()] && !excused:
			t.Errorf("no response has the field %s", fd.FullName())
		}
		if fd.Message() != nil {
			checkFields(t, fd.Message(), answered, known)
		}
	}
}

// helloResponse returns the project hello of alice, who has three units.
func (s *populated) helloResponse() *pb.GetProjectResponse {
	return &pb.GetProjectResponse{
		ProjectId: s.hello[:], Name: "hello", Description: "says hello", License: "MIT", Status: "active", OwnerAddress: s.alice.Address[:],
		RefCount: 2, CollaboratorCount: 1, CommitCount: 4, MergeRequestCount: 1, MaxRefs: 5_000, MaxCollaborators: 150, MaxCommits: 10_000,
		ContentUrls: []string{"https://a.example", "https://b.example/x"}, DefaultBranch: "main",
		ClosedMergeRequestCount: 2,
	}
}

func (s *populated) secretResponse() *pb.GetProjectResponse {
	return &pb.GetProjectResponse{
		ProjectId: s.secret[:], Name: "secret", Visibility: pb.Visibility_VISIBILITY_PRIVATE, Status: "active", OwnerAddress: s.alice.Address[:],
		MaxRefs: 5_000, MaxCollaborators: 150, MaxCommits: 10_000,
	}
}

// mineResponse returns the fork of bobby, who has two units.
func (s *populated) mineResponse() *pb.GetProjectResponse {
	return &pb.GetProjectResponse{
		ProjectId: s.mine[:], Name: "mine", Status: "active", ForkSource: s.hello[:], OwnerAddress: s.bobby.Address[:],
		RefCount: 1, CommitCount: 1, MaxRefs: 5_000, MaxCollaborators: 100, MaxCommits: 10_000,
	}
}

func (s *populated) projectExamples() []example {
	s.Helper()
	gone := &pb.GetProjectResponse{
		ProjectId: s.gone[:], Status: "removed", OwnerAddress: s.alice.Address[:], MaxRefs: 5_000, MaxCollaborators: 150, MaxCommits: 10_000,
	}
	all := []*pb.GetProjectResponse{s.helloResponse(), s.secretResponse(), s.mineResponse()}
	slices.SortFunc(all, func(a, b *pb.GetProjectResponse) int { return slices.Compare(a.GetProjectId(), b.GetProjectId()) })
	return []example{
		{"GetProject", &pb.GetProjectRequest{ProjectId: s.hello[:]}, s.helloResponse()},
		{"GetProject", &pb.GetProjectRequest{ProjectId: s.mine[:]}, s.mineResponse()},
		{"GetProject", &pb.GetProjectRequest{ProjectId: s.gone[:]}, gone},
		{"GetProjectByName", &pb.GetProjectByNameRequest{OwnerAddress: s.alice.Address[:], Name: "secret"}, s.secretResponse()},
		{"ListProjects", &pb.ListProjectsRequest{}, &pb.ListProjectsResponse{Projects: all}},
		{"ListProjects", &pb.ListProjectsRequest{OwnerAddress: s.alice.Address[:]}, &pb.ListProjectsResponse{Projects: []*pb.GetProjectResponse{s.helloResponse(), s.secretResponse()}}},
		{"ListForks", &pb.ListForksRequest{ProjectId: s.hello[:]}, &pb.ListProjectsResponse{Projects: []*pb.GetProjectResponse{s.mineResponse()}}},
		{"ListForks", &pb.ListForksRequest{ProjectId: s.mine[:]}, &pb.ListProjectsResponse{}},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "mi"}, &pb.ListProjectsResponse{Projects: []*pb.GetProjectResponse{s.mineResponse()}}},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "hello"}, &pb.ListProjectsResponse{Projects: []*pb.GetProjectResponse{s.helloResponse()}}},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "gone"}, &pb.ListProjectsResponse{}},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "s", OwnerAddress: s.alice.Address[:]}, &pb.ListProjectsResponse{Projects: []*pb.GetProjectResponse{s.secretResponse()}}},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "s", OwnerAddress: s.bobby.Address[:]}, &pb.ListProjectsResponse{}},
	}
}
