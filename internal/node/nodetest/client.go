// Package nodetest runs nodes in tests, in the process of the test or in a child process, with a gRPC client and accounts with
// new keys.
package nodetest

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/ident"
	"makechain/message"
)

// Timeout is the timeout of Await, far longer than any wait of a test that passes.
const Timeout = 2 * time.Minute

// pollInterval is the interval at which Await checks its condition.
const pollInterval = 5 * time.Millisecond

// Client calls a node by gRPC.
type Client struct {
	makechainpbconnect.MakechainServiceClient

	Faucet devpbconnect.FaucetServiceClient

	http   *http.Client
	called *calls
}

// Dial returns a client of the node at an address. It connects at the first call.
func Dial(addr string) *Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &Client{http: &http.Client{Transport: &http.Transport{Protocols: protocols}}, called: &calls{names: map[string]bool{}}}
	options := []connect.ClientOption{connect.WithGRPC(), connect.WithInterceptors(client.called)}
	client.MakechainServiceClient = makechainpbconnect.NewMakechainServiceClient(client.http, "http://"+addr, options...)
	client.Faucet = devpbconnect.NewFaucetServiceClient(client.http, "http://"+addr, options...)
	return client
}

// Close closes the idle connections of the client.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Called returns the procedures that were called so far.
func (c *Client) Called() []string {
	c.called.mu.Lock()
	defer c.called.mu.Unlock()
	return slices.Sorted(maps.Keys(c.called.names))
}

// Call calls a method that must succeed.
func Call[Req, Resp any](
	tb testing.TB, method func(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error), req *Req,
) *Resp {
	tb.Helper()
	answer, err := method(tb.Context(), connect.NewRequest(req))
	if err != nil {
		tb.Fatalf("%T: %v", req, err)
	}
	return answer.Msg
}

// MustFail calls a method that must fail with a code.
func MustFail[Req, Resp any](
	tb testing.TB, method func(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error), req *Req, code connect.Code,
) {
	tb.Helper()
	if _, err := method(tb.Context(), connect.NewRequest(req)); err == nil || connect.CodeOf(err) != code {
		tb.Errorf("%T: %v, want %v", req, err, code)
	}
}

// Submit submits messages, which must be accepted. It does not wait for their commit.
func (c *Client) Submit(tb testing.TB, messages ...*message.Envelope) {
	tb.Helper()
	for _, m := range messages {
		answer := Call(tb, c.SubmitMessage, &pb.SubmitMessageRequest{Message: m.Proto()})
		if !answer.GetAccepted() {
			tb.Fatalf("%s is refused at %s: %s: %s", m.Type(), answer.GetStage(), answer.GetCode(), answer.GetError())
		}
	}
}

// AwaitStatus waits until a message is no longer pending and returns its status.
func (c *Client) AwaitStatus(tb testing.TB, hash ident.Hash) *pb.GetMessageStatusResponse {
	tb.Helper()
	var status *pb.GetMessageStatusResponse
	Await(tb, "message "+hash.String(), func() bool {
		status = Call(tb, c.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: hash[:]})
		return status.GetState() != pb.MessageState_MESSAGE_STATE_PENDING
	})
	return status
}

// MustCommit waits until messages are committed.
func (c *Client) MustCommit(tb testing.TB, messages ...*message.Envelope) {
	tb.Helper()
	for _, m := range messages {
		if status := c.AwaitStatus(tb, m.Hash); status.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
			tb.Fatalf("%s: %v", m.Type(), status)
		}
	}
}

// Await waits until a condition holds.
func Await(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), Timeout)
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			tb.Fatalf("timeout waiting for %s", what)
		}
	}
}

// calls records which procedures were called.
type calls struct {
	mu    sync.Mutex
	names map[string]bool // guarded by mu
}

func (c *calls) add(spec connect.Spec) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names[spec.Procedure] = true
}

// WrapUnary is part of connect.Interceptor.
func (c *calls) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		c.add(req.Spec())
		return next(ctx, req)
	}
}

// WrapStreamingClient is part of connect.Interceptor.
func (c *calls) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return func(ctx context.Context, spec connect.Spec) connect.StreamingClientConn {
		c.add(spec)
		return next(ctx, spec)
	}
}

// WrapStreamingHandler is part of connect.Interceptor.
func (c *calls) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}
