package gateway_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpcreflect"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/wrapperspb"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/node/nodetest"
)

// TestPassthrough calls a node through its own gateway and through a standalone one: unary calls, errors and streams in every
// protocol, health and reflection.
// Rules: REST.
func TestPassthrough(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	person := nodetest.NewAccount(t)
	key := person.AddKey()
	n.Submit(t, key)
	n.MustCommit(t, key)
	for _, through := range []struct{ name, url string }{
		{"in the node", n.RESTURL()},
		{"alone", start(t, serverConfig(), dial(t, n.GRPCAddr())).URL()},
	} {
		for _, p := range protocols() {
			t.Run(through.name+"/"+p.name, func(t *testing.T) {
				t.Parallel()
				client := p.chain(t, through.url)
				status, err := client.GetNodeStatus(t.Context(), connect.NewRequest(&pb.GetNodeStatusRequest{}))
				if err != nil || status.Msg.GetChainId() != n.ChainID() {
					t.Errorf("status is %v, %v", status, err)
				}
				if ids := status.Header().Values("X-Request-ID"); len(ids) != 1 {
					t.Errorf("the answer has the ids %q, want one", ids)
				}
				nodetest.MustFail(t, client.GetProject, &pb.GetProjectRequest{ProjectId: make([]byte, 32)}, connect.CodeNotFound)
				owner := nodetest.NewAccount(t).Address() // the faucet limits each account
				claim, err := p.faucet(t, through.url).Claim(t.Context(), connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: owner[:], Units: 1}))
				if err != nil || len(claim.Msg.GetHash()) == 0 {
					t.Errorf("claim is %v, %v", claim, err)
				}
				wantStream(t, client, key.Hash[:])
			})
		}
		t.Run(through.name+"/reflection and health", func(t *testing.T) {
			t.Parallel()
			wantReflection(t, through.url)
			wantHealth(t, through.url)
		})
	}
}

// wantStream reads the first message of the chain from a stream, and checks that errors of the node are passed through and
// that a stream ends when its client disconnects.
func wantStream(t *testing.T, client makechainpbconnect.MakechainServiceClient, first []byte) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var start uint64 = 1
	stream, err := client.SubscribeMessages(ctx, connect.NewRequest(&pb.SubscribeRequest{StartBlock: &start}))
	if err != nil {
		t.Fatal(err)
	}
	if !stream.Receive() || !slices.Equal(stream.Msg().GetHash(), first) {
		t.Errorf("streamed %v, %v, want the first message", stream.Msg(), stream.Err())
	}
	leave()
	for stream.Receive() { // what was under way
	}
	if connect.CodeOf(stream.Err()) != connect.CodeCanceled {
		t.Errorf("the stream that its client left ended with %v", stream.Err())
	}
	var far uint64 = 1 << 40
	refused, err := client.SubscribeMessages(t.Context(), connect.NewRequest(&pb.SubscribeRequest{StartBlock: &far}))
	if err != nil {
		t.Fatal(err)
	}
	if refused.Receive() || connect.CodeOf(refused.Err()) != connect.CodeOutOfRange {
		t.Errorf("a position that is not there: %v", refused.Err())
	}
}

func wantReflection(t *testing.T, url string) {
	t.Helper()
	stream := grpcreflect.NewClient(protocols()[0].client(t), url, connect.WithGRPC()).NewStream(t.Context())
	defer func() { _, _ = stream.Close() }()
	listed, err := stream.ListServices()
	want := []protoreflect.FullName{"grpc.health.v1.Health", "makechain.MakechainService", "makechain.dev.FaucetService"}
	if slices.Sort(listed); err != nil || !slices.Equal(listed, want) {
		t.Errorf("listed %v, %v, want %v", listed, err, want)
	}
}

// wantHealth calls the health service, whose messages have the encoding of a wrapped string and a wrapped number.
func wantHealth(t *testing.T, url string) {
	t.Helper()
	client := connect.NewClient[wrapperspb.StringValue, wrapperspb.Int32Value](
		protocols()[0].client(t), url+"/grpc.health.v1.Health/Check", connect.WithGRPC())
	health, err := client.CallUnary(t.Context(), connect.NewRequest(wrapperspb.String("makechain.MakechainService")))
	if err != nil || health.Msg.GetValue() != 1 {
		t.Errorf("health is %v, %v, want 1", health, err)
	}
}

// TestCloseEndsStreams checks that streams that are passed through end when the gateway closes.
func TestCloseEndsStreams(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			config := serverConfig()
			config.Limits.ShutdownTimeout = time.Hour
			g := start(t, config, dial(t, n.GRPCAddr()))
			stream, err := p.chain(t, g.URL()).SubscribeBlocks(t.Context(), connect.NewRequest(&pb.SubscribeBlocksRequest{}))
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for stream.Receive() { // blocks that others make
				}
			}()
			if err := g.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			<-ended
			if stream.Err() == nil {
				t.Error("the stream ended as if there were no more blocks")
			}
		})
	}
}

// TestNodeStops stops a node with open streams on both of its ports.
func TestNodeStops(t *testing.T) {
	t.Parallel()
	config := nodetest.Config(t.TempDir(), slog.New(slog.DiscardHandler))
	config.GRPC.Limits.ShutdownTimeout = time.Hour
	n := nodetest.StartWith(t, config)
	var streams []*connect.ServerStreamForClient[pb.GetBlockResponse]
	for _, url := range []string{n.RESTURL(), "http://" + n.GRPCAddr()} {
		for _, p := range protocols() {
			stream, err := p.chain(t, url).SubscribeBlocks(t.Context(), connect.NewRequest(&pb.SubscribeBlocksRequest{}))
			if err != nil {
				t.Fatal(err)
			}
			streams = append(streams, stream)
		}
	}
	watch := connect.NewClient[wrapperspb.StringValue, wrapperspb.Int32Value](
		protocols()[0].client(t), n.RESTURL()+"/grpc.health.v1.Health/Watch", connect.WithGRPC())
	if _, err := watch.CallServerStream(t.Context(), connect.NewRequest(wrapperspb.String(""))); err != nil {
		t.Fatal(err)
	}
	n.Stop(t)
	for i, stream := range streams {
		for stream.Receive() { // blocks that were made meanwhile
		}
		if stream.Err() == nil {
			t.Errorf("stream %d ended as if there were no more blocks", i)
		}
	}
}
