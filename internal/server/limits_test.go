package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
)

// TestMessageSize checks the limits of requests and responses, which apply after decompression.
func TestMessageSize(t *testing.T) {
	t.Parallel()
	const limit = 64 << 10
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{Limits: Limits{MaxRequestBytes: limit, MaxResponseBytes: limit}}, &services{
				claim: func(_ context.Context, req *claimRequest) (*claimResponse, error) {
					return connect.NewResponse(&devpb.ClaimResponse{Hash: make([]byte, req.Msg.GetUnits())}), nil
				},
				subscribe: func(_ context.Context, _ *subscribeRequest, stream *messageStream) error {
					if err := sendBlocks(stream, 1); err != nil {
						return err
					}
					return stream.Send(&pb.Message{Hash: make([]byte, limit+1)})
				},
			})
			claim := func(owner, units int) error {
				_, err := p.faucet(t, r).Claim(t.Context(), connect.NewRequest(&devpb.ClaimRequest{
					OwnerAddress: make([]byte, owner), Units: uint32(units),
				}))
				return err
			}
			if err := claim(limit/2, limit/2); err != nil {
				t.Errorf("a request and a response of half the limit: %v", err)
			}
			wantCode(t, claim(limit+1, 0), connect.CodeResourceExhausted)
			r.wantMetric(t, 1, "makechain_rpc_refused_total", refusedUnreadable)
			r.wantLog(t, `msg="call could not be decoded"`, "path="+claimMethod, "client=127.0.0.1", "request_id=")
			wantCode(t, claim(0, limit+1), connect.CodeResourceExhausted)
			r.wantMetric(t, 1, "makechain_rpc_duration_seconds", claimMethod, "resource_exhausted")

			stream, err := p.chain(t, r).SubscribeMessages(t.Context(), newSubscription())
			if err != nil {
				t.Fatal(err)
			}
			numbers, err := receiveBlocks(stream)
			if wantCode(t, err, connect.CodeResourceExhausted); len(numbers) != 1 {
				t.Errorf("got %d messages before the one that is too large, want 1", len(numbers))
			}
		})
	}
}

// TestHeaderSize checks that a request with too large headers is rejected.
func TestHeaderSize(t *testing.T) {
	t.Parallel()
	r := start(t, Config{Limits: Limits{MaxHeaderBytes: 8 << 10}}, &services{})
	request := newClaim()
	request.Header().Set("X-Large", strings.Repeat("x", 64<<10))
	if _, err := grpc().faucet(t, r).Claim(t.Context(), request); err == nil {
		t.Error("a request with headers of 64 KiB was answered")
	}
	if err := claimAs(t, grpc(), r, "small"); err != nil {
		t.Error(err)
	}
}

// TestMaxStreams checks that a stream beyond the limit is refused until another one ends.
func TestMaxStreams(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{Limits: Limits{MaxStreams: 2}}, &services{
				subscribe: func(ctx context.Context, _ *subscribeRequest, stream *messageStream) error {
					if err := sendBlocks(stream, 1); err != nil {
						return err
					}
					<-ctx.Done()
					return ctx.Err()
				},
			})
			client := p.chain(t, r)
			subscribe := func(ctx context.Context) error {
				stream, err := client.SubscribeMessages(ctx, newSubscription())
				if err == nil && !stream.Receive() {
					err = stream.Err()
				}
				return err
			}
			first, leave := context.WithCancel(t.Context())
			for _, ctx := range []context.Context{first, t.Context()} {
				if err := subscribe(ctx); err != nil {
					t.Fatal(err)
				}
			}
			r.wantMetric(t, 2, "makechain_rpc_streams_open")
			wantCode(t, subscribe(t.Context()), connect.CodeResourceExhausted)
			r.wantMetric(t, 1, "makechain_rpc_refused_total", refusedStreams)
			if err := claimAs(t, p, r, "unary"); err != nil {
				t.Errorf("a unary call beyond the limit of streams: %v", err)
			}
			leave()
			r.wantMetric(t, 1, "makechain_rpc_streams_open")
			if err := subscribe(t.Context()); err != nil {
				t.Errorf("no stream after another ended: %v", err)
			}
		})
	}
}

// TestSlowSender checks that the connection of a client that does not complete its request is closed.
func TestSlowSender(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, request string }{
		{"headers", "POST " + claimMethod + " HTTP/1.1\r\nHost: node\r\n"},
		{"body", "POST " + claimMethod + " HTTP/1.1\r\nHost: node\r\nContent-Type: application/proto\r\nContent-Length: 100\r\n\r\nshort"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			brief := 50 * time.Millisecond
			r := start(t, Config{Limits: Limits{ReadHeaderTimeout: brief, ReadTimeout: brief}}, &services{})
			connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", r.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = connection.Close() })
			if _, err := fmt.Fprint(connection, test.request); err != nil {
				t.Fatal(err)
			}
			if err := connection.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil {
				if errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatal("the server still waits for the client")
				}
				return // it hung up, which says as much
			}
			if readAll(t, response); response.StatusCode < http.StatusBadRequest {
				t.Errorf("an incomplete request was answered with %s", response.Status)
			}
		})
	}
}

// TestSlowReader checks that the stream of a client that does not read is ended, and that an idle stream is not.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	for _, p := range protocols()[:4] {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			ended, quiet := make(chan error, 1), make(chan struct{})
			r := start(t, Config{Limits: Limits{WriteTimeout: 100 * time.Millisecond}}, &services{
				subscribe: func(ctx context.Context, req *subscribeRequest, stream *messageStream) error {
					if len(req.Msg.GetProjectId()) > 0 {
						return sendAfter(ctx, quiet, stream)
					}
					err := sendForever(stream)
					ended <- err
					return err
				},
			})
			listening := make(chan error, 1)
			go func() {
				stream, err := p.chain(t, r).SubscribeMessages(t.Context(), connect.NewRequest(&pb.SubscribeRequest{ProjectId: []byte("quiet")}))
				if err == nil {
					_, err = receiveBlocks(stream)
				}
				listening <- err
			}()
			lazy := connect.NewClient[pb.SubscribeRequest, pb.Message](p.client(t), r.url+subscribeMethod,
				append(p.options, connect.WithAcceptCompression("gzip", nil, nil))...) // so that buffers fill soon
			if _, err := lazy.CallServerStream(t.Context(), newSubscription()); err != nil {
				t.Fatal(err)
			}
			if err := await(t, ended, "the end of a stream that is not read"); err == nil {
				t.Error("the stream ended without an error")
			}
			close(quiet)
			if err := await(t, listening, "the message on the quiet stream"); err != nil {
				t.Errorf("an idle stream ended with %v", err)
			}
		})
	}
}

// sendAfter sends a message after a signal.
func sendAfter(ctx context.Context, signal <-chan struct{}, stream *messageStream) error {
	select {
	case <-signal:
		return sendBlocks(stream, 1)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sendForever sends large messages until sending fails.
func sendForever(stream *messageStream) error {
	for {
		if err := stream.Send(&pb.Message{Hash: make([]byte, 1<<20)}); err != nil {
			return err
		}
	}
}

// TestRateLimit checks that calls of a client beyond the rate limit are rejected in their protocol, and that other clients
// are not affected.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{
				TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
				Limits:         Limits{RequestsPerSecond: 0.001, Burst: 2},
			}, &services{})
			client := p.faucet(t, r)
			claimFrom := func(address string) error {
				request := newClaim()
				request.Header().Set("X-Forwarded-For", address)
				_, err := client.Claim(t.Context(), request)
				return err
			}
			for range 2 {
				if err := claimFrom("203.0.113.7"); err != nil {
					t.Fatal(err)
				}
			}
			err := claimFrom("203.0.113.7")
			wantCode(t, err, connect.CodeResourceExhausted)
			var known *connect.Error
			if !errors.As(err, &known) || known.Meta().Get("Retry-After") != "1000" || known.Meta().Get(RequestIDHeader) == "" {
				t.Errorf("rejected with %v, want Retry-After: 1000 and a request id", err)
			}
			r.wantMetric(t, 1, "makechain_rpc_refused_total", refusedRate)
			for _, other := range []string{"203.0.113.8", "127.0.0.1", "::1"} {
				for range 2 {
					if err := claimFrom(other); err != nil {
						t.Errorf("%s is rejected too: %v", other, err)
					}
				}
			}
		})
	}
}
