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

// liar passes proofs on from a real node, and changes what it likes in them.
type liar struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler

	truth *client.Client

	present func(*pb.GetOperationProofResponse)
	absent  func(*pb.GetExclusionProofResponse)
	ranged  func(*pb.GetRangeProofResponse)
	early   int  // calls for a root that come before its block
	hidden  bool // rows that are there are said not to be
}

func pass[Request, Response any](
	ctx context.Context, method func(context.Context, *connect.Request[Request]) (*connect.Response[Response], error),
	request *connect.Request[Request], change func(*Response),
) (*connect.Response[Response], error) {
	answer, err := client.Call(ctx, method, request.Msg)
	if err != nil {
		return nil, connect.NewError(connect.CodeOf(err), errors.New("the truth"))
	}
	if change != nil {
		change(answer)
	}
	return connect.NewResponse(answer), nil
}

func (l *liar) GetOperationProof(ctx context.Context, r *connect.Request[pb.GetOperationProofRequest]) (*connect.Response[pb.GetOperationProofResponse], error) {
	if l.hidden {
		return nil, connect.NewError(connect.CodeNotFound, errors.New("not here"))
	}
	return pass(ctx, l.truth.GetOperationProof, r, l.present)
}

func (l *liar) GetExclusionProof(ctx context.Context, r *connect.Request[pb.GetExclusionProofRequest]) (*connect.Response[pb.GetExclusionProofResponse], error) {
	return pass(ctx, l.truth.GetExclusionProof, r, l.absent)
}

func (l *liar) GetRangeProof(ctx context.Context, r *connect.Request[pb.GetRangeProofRequest]) (*connect.Response[pb.GetRangeProofResponse], error) {
	return pass(ctx, l.truth.GetRangeProof, r, l.ranged)
}

func (l *liar) GetFinalizedRoot(ctx context.Context, r *connect.Request[pb.GetFinalizedRootRequest]) (*connect.Response[pb.GetFinalizedRootResponse], error) {
	if l.early--; l.early >= 0 {
		return nil, connect.NewError(connect.CodeUnavailable, errors.New("not there yet"))
	}
	return pass(ctx, l.truth.GetFinalizedRoot, r, nil)
}

// catchLies asks a node that does not tell the truth.
//
// Rules: P11.2.
func (n *chain) catchLies(t *testing.T) {
	t.Helper()
	truth := dial(t, n.GRPCAddr())
	elsewhere := nodeProof(t, truth, schema.AccountKey(n.alice.Address()))
	there, nowhere := schema.ProjectKey(n.hello), schema.UsernameKey("nobody")
	row := func(key []byte) func(*client.Client) error {
		return func(c *client.Client) error { _, _, err := c.Row(t.Context(), key); return err }
	}
	commit := func(c *client.Client) error { _, err := c.Commit(t.Context(), n.hello, "abcd"); return err }
	for name, test := range map[string]struct {
		liar *liar
		ask  func(*client.Client) error
	}{
		"another value":    {&liar{present: func(a *pb.GetOperationProofResponse) { a.Value[0]++ }}, row(there)},
		"another row":      {&liar{present: func(a *pb.GetOperationProofResponse) { a.Value, a.Proof = elsewhere.GetValue(), elsewhere.GetProof() }}, row(there)},
		"no value":         {&liar{present: func(a *pb.GetOperationProofResponse) { a.Value = nil }}, row(there)},
		"broken proof":     {&liar{absent: func(a *pb.GetExclusionProofResponse) { a.Proof = a.GetProof()[1:] }}, row(nowhere)},
		"one commit fewer": {&liar{ranged: func(a *pb.GetRangeProofResponse) { a.Entries = a.GetEntries()[1:] }}, commit},
	} {
		test.liar.truth = truth
		failed := (*proof.StepError)(nil)
		if err := test.ask(dial(t, serve(t, test.liar), client.WithTrust(n.trust))); !errors.As(err, &failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	hiding := dial(t, serve(t, &liar{truth: truth, hidden: true}), client.WithTrust(n.trust))
	if value, _, err := hiding.Row(t.Context(), there); err == nil {
		t.Errorf("a row that is hidden reads as %x", value)
	}
}

// awaitRoot reads a row whose root is certified by a block that is long in coming.
func (n *chain) awaitRoot(t *testing.T) {
	t.Helper()
	slow := &liar{truth: dial(t, n.GRPCAddr()), early: 7}
	value, _, err := dial(t, serve(t, slow), client.WithTrust(n.trust)).Row(t.Context(), schema.ProjectKey(n.hello))
	if err != nil || value == nil || slow.early >= 0 {
		t.Errorf("%x, %v, and %d calls too early were not made", value, err, slow.early)
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
