package client_test

import (
	"context"
	"errors"
	"testing"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/schema"
	"makechain/proof"
)

// dishonestNode returns the proofs of a real node with changes.
type dishonestNode struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler

	honest *client.Client

	present func(*pb.GetOperationProofResponse)
	absent  func(*pb.GetExclusionProofResponse)
	ranged  func(*pb.GetRangeProofResponse)
	project func(*pb.GetProjectProofResponse)
	early   int  // calls for a root that return unavailable, as before its block exists
	hidden  bool // existing rows are reported as absent
}

func pass[Request, Response any](
	ctx context.Context, method func(context.Context, *connect.Request[Request]) (*connect.Response[Response], error),
	request *connect.Request[Request], change func(*Response),
) (*connect.Response[Response], error) {
	answer, err := client.Call(ctx, method, request.Msg)
	if err != nil {
		return nil, connect.NewError(connect.CodeOf(err), errors.New("from the honest node"))
	}
	if change != nil {
		change(answer)
	}
	return connect.NewResponse(answer), nil
}

func (l *dishonestNode) GetOperationProof(ctx context.Context, r *connect.Request[pb.GetOperationProofRequest]) (*connect.Response[pb.GetOperationProofResponse], error) {
	if l.hidden {
		return nil, connect.NewError(connect.CodeNotFound, errors.New("hidden"))
	}
	return pass(ctx, l.honest.GetOperationProof, r, l.present)
}

func (l *dishonestNode) GetExclusionProof(ctx context.Context, r *connect.Request[pb.GetExclusionProofRequest]) (*connect.Response[pb.GetExclusionProofResponse], error) {
	return pass(ctx, l.honest.GetExclusionProof, r, l.absent)
}

func (l *dishonestNode) GetRangeProof(ctx context.Context, r *connect.Request[pb.GetRangeProofRequest]) (*connect.Response[pb.GetRangeProofResponse], error) {
	return pass(ctx, l.honest.GetRangeProof, r, l.ranged)
}

func (l *dishonestNode) GetProjectProof(ctx context.Context, r *connect.Request[pb.GetProjectProofRequest]) (*connect.Response[pb.GetProjectProofResponse], error) {
	return pass(ctx, l.honest.GetProjectProof, r, l.project)
}

func (l *dishonestNode) GetFinalizedRoot(ctx context.Context, r *connect.Request[pb.GetFinalizedRootRequest]) (*connect.Response[pb.GetFinalizedRootResponse], error) {
	if l.early--; l.early >= 0 {
		return nil, connect.NewError(connect.CodeUnavailable, errors.New("no such block yet"))
	}
	return pass(ctx, l.honest.GetFinalizedRoot, r, nil)
}

// rejectFalseProofs checks that changed values and proofs are rejected.
//
// Rules: P11.2.
func (n *chain) rejectFalseProofs(t *testing.T) {
	t.Helper()
	honest := dial(t, n.GRPCAddr())
	other := nodeProof(t, honest, schema.AccountKey(n.alice.Address()))
	existing, absent := schema.ProjectKey(n.hello), schema.UsernameKey("unregistered")
	row := func(key []byte) func(*client.Client) error {
		return func(c *client.Client) error { _, _, err := c.Row(t.Context(), key); return err }
	}
	commit := func(c *client.Client) error { _, err := c.Commit(t.Context(), n.hello, "abcd"); return err }
	for name, test := range map[string]struct {
		node *dishonestNode
		read func(*client.Client) error
	}{
		"another value":    {&dishonestNode{present: func(a *pb.GetOperationProofResponse) { a.Value[0]++ }}, row(existing)},
		"another row":      {&dishonestNode{present: func(a *pb.GetOperationProofResponse) { a.Value, a.Proof = other.GetValue(), other.GetProof() }}, row(existing)},
		"no value":         {&dishonestNode{present: func(a *pb.GetOperationProofResponse) { a.Value = nil }}, row(existing)},
		"broken proof":     {&dishonestNode{absent: func(a *pb.GetExclusionProofResponse) { a.Proof = a.GetProof()[1:] }}, row(absent)},
		"one commit fewer": {&dishonestNode{ranged: func(a *pb.GetRangeProofResponse) { a.Entries = a.GetEntries()[1:] }}, commit},
	} {
		test.node.honest = honest
		failed := (*proof.StepError)(nil)
		if err := test.read(dial(t, serve(t, test.node), client.WithTrust(n.trust))); !errors.As(err, &failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	hiding := dial(t, serve(t, &dishonestNode{honest: honest, hidden: true}), client.WithTrust(n.trust))
	if value, _, err := hiding.Row(t.Context(), existing); err == nil {
		t.Errorf("a hidden row was read as %x", value)
	}
}

// awaitRoot checks that a read waits for the block that certifies its root.
func (n *chain) awaitRoot(t *testing.T) {
	t.Helper()
	slow := &dishonestNode{honest: dial(t, n.GRPCAddr()), early: 7}
	value, _, err := dial(t, serve(t, slow), client.WithTrust(n.trust)).Row(t.Context(), schema.ProjectKey(n.hello))
	if err != nil || value == nil || slow.early >= 0 {
		t.Errorf("%x, %v, with %d calls left that return unavailable", value, err, slow.early)
	}
}

func nodeProof(t *testing.T, c *client.Client, key []byte) *pb.GetOperationProofResponse {
	t.Helper()
	answer, err := client.Call(t.Context(), c.GetOperationProof, &pb.GetOperationProofRequest{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
