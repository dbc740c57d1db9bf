package rest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/jsonform"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// ready is a service with constant responses.
type ready struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler
}

func (ready) GetNodeStatus(context.Context, *connect.Request[pb.GetNodeStatusRequest]) (*connect.Response[pb.GetNodeStatusResponse], error) {
	return connect.NewResponse(&pb.GetNodeStatusResponse{CurrentBlock: 1, ChainId: "bench"}), nil
}

func (ready) SubmitMessage(_ context.Context, r *connect.Request[pb.SubmitMessageRequest]) (*connect.Response[pb.SubmitMessageResponse], error) {
	return connect.NewResponse(&pb.SubmitMessageResponse{Accepted: true, Hash: r.Msg.GetMessage().GetHash()}), nil
}

// BenchmarkGateway measures the cost of the gateway without a network for a read, a message, and a message of a megabyte.
func BenchmarkGateway(b *testing.B) {
	g := newLocalGateway(b, ready{})
	author := nodetest.NewAccount(b)
	small := author.Sign(message.Follow(author.Address())).Proto()
	large := author.Sign(message.Follow(author.Address())).Proto()
	large.DataBytes = make([]byte, 1<<20)
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if got := g.send(http.MethodGet, "/v1/node/status", nil, nil); got.Code != http.StatusOK {
				b.Fatal(got.Body)
			}
		}
	})
	for name, m := range map[string]*pb.Message{"submit": small, "submit a megabyte": large} {
		body, err := jsonform.Marshal(m)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if got := g.send(http.MethodPost, "/v1/messages", strings.NewReader(string(body)), nil); got.Code != http.StatusOK {
					b.Fatal(got.Body)
				}
			}
		})
	}
}
