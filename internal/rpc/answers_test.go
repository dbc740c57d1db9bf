package rpc_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
)

// questions are asked of a story. Every method is among them.
func (s *story) questions() []question {
	s.Helper()
	return slices.Concat(s.aboutProjects(), s.aboutGit(), s.aboutAccounts(), s.aboutKeys(), s.aboutOthers(),
		s.aboutMessages(), s.aboutProofs(), s.aboutTheNode(), s.aboutWriting())
}

// TestAnswers asks every method for something that is there, and compares every field of the answer.
//
// Rules: P1.1, P8.4, P8.6, P9.6, P10.6.
func TestAnswers(t *testing.T) {
	t.Parallel()
	s := tell(t)
	for _, q := range s.questions() {
		s.expectAnswer(t, q.method, q.req, q.want)
	}
}

// TestEveryMethodIsAsked compares the questions with the methods of the service.
func TestEveryMethodIsAsked(t *testing.T) {
	t.Parallel()
	asked := methodsOf(tell(t).questions())
	for i := range methods().Len() {
		method := string(methods().Get(i).Name())
		if !slices.Contains(asked, method) {
			t.Errorf("no test asks %s", method)
		}
		asked = slices.DeleteFunc(asked, func(name string) bool { return name == method })
	}
	if len(asked) > 0 {
		t.Errorf("there are no methods %v", asked)
	}
}

// unasked are the fields that no answer of TestAnswers has, each with the reason.
func unasked() map[protoreflect.FullName]string {
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
	}
}

// TestEveryFieldIsAnswered finds fields that no answer ever has.
func TestEveryFieldIsAnswered(t *testing.T) {
	t.Parallel()
	answered := map[protoreflect.FullName]bool{}
	for _, q := range tell(t).questions() {
		markFields(q.want.ProtoReflect(), answered)
	}
	known := map[protoreflect.FullName]bool{}
	for i := range methods().Len() {
		checkFields(t, methods().Get(i).Output(), answered, known)
	}
	for field := range unasked() {
		if !known[field] {
			t.Errorf("no answer can have the field %s", field)
		}
	}
}

// opaque are messages that the service passes on as it gets them.
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
		if known[fd.FullName()] || opaque(m) || fd.Name() == "next_cursor" { // TestPages follows cursors
			continue
		}
		known[fd.FullName()] = true
		switch _, excused := unasked()[fd.FullName()]; {
		case answered[fd.FullName()] && excused:
			t.Errorf("field %s is excused, but some answer has it", fd.FullName())
		case !answered[fd.FullName()] && !excused:
			t.Errorf("no answer has the field %s", fd.FullName())
		}
		if fd.Message() != nil {
			checkFields(t, fd.Message(), answered, known)
		}
	}
}

// helloAnswer is the project hello: alice has three units.
func (s *story) helloAnswer() *pb.GetProjectResponse {
	return &pb.GetProjectResponse{
		ProjectId: s.hello[:], Name: "hello", Description: "says hello", License: "MIT", Status: "active", OwnerAddress: s.alice.Address[:],
		RefCount: 2, CollaboratorCount: 1, CommitCount: 4, MergeRequestCount: 1, MaxRefs: 200, MaxCollaborators: 150, MaxCommits: 10_000,
	}
}

func (s *story) secretAnswer() *pb.GetProjectResponse {
	return &pb.GetProjectResponse{
		ProjectId: s.secret[:], Name: "secret", Visibility: pb.Visibility_VISIBILITY_PRIVATE, Status: "active", OwnerAddress: s.alice.Address[:],
		MaxRefs: 200, MaxCollaborators: 150, MaxCommits: 10_000,
	}
}

// mineAnswer is bobby's fork, and bobby has two units.
func (s *story) mineAnswer() *pb.GetProjectResponse {
	return &pb.GetProjectResponse{
		ProjectId: s.mine[:], Name: "mine", Status: "active", ForkSource: s.hello[:], OwnerAddress: s.bobby.Address[:],
		RefCount: 1, CommitCount: 1, MaxRefs: 200, MaxCollaborators: 100, MaxCommits: 10_000,
	}
}

func (s *story) aboutProjects() []question {
	s.Helper()
	gone := &pb.GetProjectResponse{
		ProjectId: s.gone[:], Name: "gone", Status: "removed", OwnerAddress: s.alice.Address[:],
		RefCount: 1, CommitCount: 1, CollaboratorCount: 1, MaxRefs: 200, MaxCollaborators: 150, MaxCommits: 10_000,
	}
	all := []*pb.GetProjectResponse{s.helloAnswer(), s.secretAnswer(), s.mineAnswer()}
	slices.SortFunc(all, func(a, b *pb.GetProjectResponse) int { return slices.Compare(a.GetProjectId(), b.GetProjectId()) })
	return []question{
		{"GetProject", &pb.GetProjectRequest{ProjectId: s.hello[:]}, s.helloAnswer()},
		{"GetProject", &pb.GetProjectRequest{ProjectId: s.mine[:]}, s.mineAnswer()},
		{"GetProject", &pb.GetProjectRequest{ProjectId: s.gone[:]}, gone},
		{"GetProjectByName", &pb.GetProjectByNameRequest{OwnerAddress: s.alice.Address[:], Name: "secret"}, s.secretAnswer()},
		{"ListProjects", &pb.ListProjectsRequest{}, &pb.ListProjectsResponse{Projects: all}},
		{"ListProjects", &pb.ListProjectsRequest{OwnerAddress: s.alice.Address[:]}, &pb.ListProjectsResponse{Projects: []*pb.GetProjectResponse{s.helloAnswer(), s.secretAnswer()}}},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "mi"}, &pb.ListProjectsResponse{Projects: []*pb.GetProjectResponse{s.mineAnswer()}}},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "hello"}, &pb.ListProjectsResponse{Projects: []*pb.GetProjectResponse{s.helloAnswer()}}},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "gone"}, &pb.ListProjectsResponse{}},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "s", OwnerAddress: s.alice.Address[:]}, &pb.ListProjectsResponse{Projects: []*pb.GetProjectResponse{s.secretAnswer()}}},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "s", OwnerAddress: s.bobby.Address[:]}, &pb.ListProjectsResponse{}},
	}
}
