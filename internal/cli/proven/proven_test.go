package proven_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/proven"
	"makechain/internal/node/nodetest"
	"makechain/message"
	"makechain/proof/finality"
)

// refCount is more than the rows of one page of a list, and of one proof.
const refCount = 120

// TestSameAnswers checks that an answer from proven rows equals that of the node.
func TestSameAnswers(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	alice, project := populate(t, n)
	c, err := client.New(n.GRPCAddr(), client.WithTrustSource(func(ctx context.Context, c *client.Client) (finality.Trust, error) {
		return c.TrustOnFirstUse(ctx)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := proven.Service(t.Context(), c)
	owner := alice.Address()
	compare(t, s.GetProject, n.GetProject, &pb.GetProjectRequest{ProjectId: project[:]})
	compare(t, s.GetAccount, n.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]})
	compare(t, s.ListKeys, n.ListKeys, &pb.ListKeysRequest{OwnerAddress: owner[:]})
	compare(t, s.ListMergeRequests, n.ListMergeRequests, &pb.ListMergeRequestsRequest{ProjectId: project[:]})
	compare(t, s.ListMergeRequests, n.ListMergeRequests, &pb.ListMergeRequestsRequest{ProjectId: project[:], IncludeClosed: true})
	for cursor := []byte(nil); ; {
		request := &pb.ListRefsRequest{ProjectId: project[:], Limit: 50, Cursor: cursor}
		page := compare(t, s.ListRefs, n.ListRefs, request)
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			break
		}
	}
}

// TestNoTrust checks that nothing is answered without trusted validators.
func TestNoTrust(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	c, err := client.New(n.GRPCAddr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	request := connect.NewRequest(&pb.ListKeysRequest{OwnerAddress: make([]byte, 20)})
	if _, err := proven.Service(t.Context(), c).ListKeys(t.Context(), request); !errors.Is(err, client.ErrNoTrust) {
		t.Errorf("%v, want %v", err, client.ErrNoTrust)
	}
}

// populate creates an account with a project that has refs and two merge requests, of which one is open, and waits until the chain is idle.
func populate(t *testing.T, n *nodetest.Node) (*nodetest.Account, message.Hash) {
	t.Helper()
	alice, bob := nodetest.NewAccount(t), nodetest.NewAccount(t)
	n.Register(alice, 2, "alice")
	n.Register(bob, 2, "bob")
	create := alice.Sign(message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "a project", "MIT"))
	commit := message.Commit{
		Hash: nodetest.Random(t), TreeRoot: nodetest.Random(t), MessageHash: nodetest.Random(t), Author: alice.Address(), AuthorTimestamp: alice.Now(),
	}
	n.Submit(t, create, alice.Sign(message.CommitBundle(create.Hash, message.Content{}, commit)))
	for i := range refCount {
		move := message.RefMove{Type: pb.RefType_REF_TYPE_BRANCH, New: commit.Hash, Nonce: 1}
		n.Submit(t, alice.Sign(message.RefUpdate(create.Hash, fmt.Sprintf("refs/heads/%03d", i), move)))
	}
	fork := bob.Sign(message.Fork(create.Hash, commit.Hash, "hello", pb.Visibility_VISIBILITY_PUBLIC))
	n.MustCommit(t, create)
	proposal := message.MergeProposal{
		Source: fork.Hash, SourceRef: "refs/heads/main", SourceCommit: commit.Hash, TargetRef: "refs/heads/main", Title: "a request",
	}
	first := bob.Sign(message.MergeRequestAdd(create.Hash, proposal))
	proposal.Replaces = first.Hash
	for _, m := range []*message.Envelope{
		fork,
		bob.Sign(message.RefUpdate(fork.Hash, "refs/heads/main", message.RefMove{Type: pb.RefType_REF_TYPE_BRANCH, New: commit.Hash, Nonce: 1})),
		first, bob.Sign(message.MergeRequestAdd(create.Hash, proposal)),
	} {
		nodetest.Await(t, "commits of the source", func() bool {
			answer := nodetest.Call(t, n.DryRunMessage, &pb.DryRunMessageRequest{Message: m.Proto()})
			return answer.GetWouldAccept()
		})
		n.Submit(t, m)
		n.MustCommit(t, m)
	}
	return alice, create.Hash
}

// compare calls a method of the service with proven rows and of the node, and returns the answer.
func compare[Req, Resp any, P interface {
	*Resp
	proto.Message
}](
	t *testing.T, verified, node func(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error), request *Req,
) P {
	t.Helper()
	got, want := P(nodetest.Call(t, verified, request)), P(nodetest.Call(t, node, request))
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	answered, err := proto.MarshalOptions{Deterministic: true}.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if len(encoded) == 0 || !bytes.Equal(answered, encoded) {
		t.Errorf("%T: %v, the node answers %v", request, got, want)
	}
	return got
}
