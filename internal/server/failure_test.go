package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
)

// TestFailures checks the error that a client receives for each kind of failure, of unary calls and streams, in every
// protocol.
func TestFailures(t *testing.T) {
	t.Parallel()
	const secret = "pebble: no such file /var/lib/secret"
	for _, test := range []struct {
		name string
		fail func() error
		code connect.Code
		text string
	}{
		{"coded error", func() error {
			return connect.NewError(connect.CodeInvalidArgument, errors.New("limit: too large"))
		}, connect.CodeInvalidArgument, "limit: too large"},
		{"wrapped coded error", func() error {
			return fmt.Errorf("%s: %w", secret, connect.NewError(connect.CodeNotFound, errors.New("no such ref")))
		}, connect.CodeNotFound, "no such ref"},
		{"unexpected error", func() error { return errors.New(secret) }, connect.CodeInternal, "internal error, request my-id"},
		{"panic", func() error { panic(secret) }, connect.CodeInternal, "internal error, request my-id"},
		{"deadline", func() error { return fmt.Errorf("%s: %w", secret, context.DeadlineExceeded) }, connect.CodeDeadlineExceeded, "context deadline exceeded"},
		{"cancellation", func() error { return fmt.Errorf("%s: %w", secret, context.Canceled) }, connect.CodeCanceled, "context canceled"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, p := range protocols() {
				t.Run(p.name, func(t *testing.T) {
					t.Parallel()
					r := start(t, Config{}, &services{
						claim:     func(context.Context, *claimRequest) (*claimResponse, error) { return nil, test.fail() },
						subscribe: func(context.Context, *subscribeRequest, *messageStream) error { return test.fail() },
					})
					for method, err := range map[string]error{claimMethod: claimAs(t, p, r, "my-id"), subscribeMethod: subscribeAs(t, p, r, "my-id")} {
						var coded *connect.Error
						if !errors.As(err, &coded) || coded.Code() != test.code || coded.Message() != test.text {
							t.Errorf("%s ended with %v, want %s: %s", method, err, test.code, test.text)
						}
						if id := coded.Meta().Get(RequestIDHeader); id != "my-id" {
							t.Errorf("%s returned request id %q, want my-id", method, id)
						}
						r.wantLog(t, "msg=call", "method="+method, "code="+test.code.String(), "request_id=my-id")
					}
				})
			}
		})
	}
}

// claimAs makes a unary call with a request id and returns its error.
func claimAs(t *testing.T, p protocol, r *running, id string) error {
	t.Helper()
	request := newClaim()
	request.Header().Set(RequestIDHeader, id)
	_, err := p.faucet(t, r).Claim(t.Context(), request)
	return err
}

// subscribeAs reads a stream with a request id and returns its error.
func subscribeAs(t *testing.T, p protocol, r *running, id string) error {
	t.Helper()
	request := newSubscription()
	request.Header().Set(RequestIDHeader, id)
	stream, err := p.chain(t, r).SubscribeMessages(t.Context(), request)
	if err != nil {
		return err
	}
	_, err = receiveBlocks(stream)
	return err
}

// TestFailureAfterMessages checks that a panic in the middle of a stream is hidden from the client.
func TestFailureAfterMessages(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{}, &services{subscribe: func(_ context.Context, _ *subscribeRequest, stream *messageStream) error {
				if err := sendBlocks(stream, 1, 2); err != nil {
					return err
				}
				panic("disk failure")
			}})
			stream, err := p.chain(t, r).SubscribeMessages(t.Context(), newSubscription())
			if err != nil {
				t.Fatal(err)
			}
			numbers, err := receiveBlocks(stream)
			if len(numbers) != 2 {
				t.Errorf("got %d messages, want 2", len(numbers))
			}
			wantCode(t, err, connect.CodeInternal)
			if strings.Contains(err.Error(), "disk") {
				t.Errorf("the client received %q", err)
			}
		})
	}
}

// TestFailuresAreLogged checks that hidden errors and the stacks of panics are logged under the request id, and counted.
func TestFailuresAreLogged(t *testing.T) {
	t.Parallel()
	r := start(t, Config{}, &services{
		claim:     func(context.Context, *claimRequest) (*claimResponse, error) { panic("no such row") },
		subscribe: func(context.Context, *subscribeRequest, *messageStream) error { return errors.New("no such table") },
	})
	_ = claimAs(t, grpc(), r, "id-of-panic")
	_ = subscribeAs(t, grpc(), r, "id-of-error")
	r.wantLog(t, "level=ERROR", "msg=panic", "no such row", "failure_test.go", "request_id=id-of-panic")
	r.wantLog(t, "level=ERROR", `msg="unexpected error"`, "no such table", "request_id=id-of-error")
	r.wantLog(t, "level=WARN", "msg=call", "code=internal", "request_id=id-of-panic")
	r.wantMetric(t, 1, "makechain_rpc_panics_total")
	r.wantMetric(t, 1, "makechain_rpc_duration_seconds", claimMethod, "internal")
	r.wantMetric(t, 1, "makechain_rpc_stream_duration_seconds", subscribeMethod, "internal")
	r.wantMetric(t, 0, "makechain_rpc_in_flight")
	r.wantMetric(t, 0, "makechain_rpc_streams_open")
}

// TestLogLevels checks the level at which calls are logged: debug for a success and for a lookup that finds nothing, info
// for an error of the client, a warning for an error of the node.
func TestLogLevels(t *testing.T) {
	t.Parallel()
	var fail error
	r := start(t, Config{}, &services{subscribe: func(context.Context, *subscribeRequest, *messageStream) error { return fail }})
	if err := claimAs(t, grpc(), r, "success"); err != nil {
		t.Fatal(err)
	}
	r.wantLog(t, "level=DEBUG", "code=ok", "protocol=grpc", "client=127.0.0.1", "duration=", "request_id=success")
	for code, level := range map[connect.Code]string{
		connect.CodeNotFound: "DEBUG", connect.CodeInvalidArgument: "INFO", connect.CodeInternal: "WARN",
	} {
		fail = connect.NewError(code, errors.New("no such ref"))
		id := "id-" + code.String()
		wantCode(t, subscribeAs(t, grpc(), r, id), code)
		r.wantLog(t, "level="+level, "msg=call", "code="+code.String(), `error="`+code.String()+`: no such ref"`, "request_id="+id)
	}
}

// TestUnaryTimeout checks that unary calls have a timeout and streams have none.
func TestUnaryTimeout(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{Limits: Limits{UnaryTimeout: 20 * time.Millisecond}}, &services{
				claim: func(ctx context.Context, _ *claimRequest) (*claimResponse, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				},
				subscribe: func(ctx context.Context, _ *subscribeRequest, stream *messageStream) error {
					if _, bounded := ctx.Deadline(); bounded {
						return errors.New("a stream has a deadline")
					}
					return sendBlocks(stream, 1)
				},
			})
			wantCode(t, claimAs(t, p, r, "slow"), connect.CodeDeadlineExceeded)
			if err := subscribeAs(t, p, r, "stream"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestClientDeadline checks that a deadline of the client that is shorter than the unary timeout is kept.
func TestClientDeadline(t *testing.T) {
	t.Parallel()
	remaining := make(chan time.Duration, 1)
	r := start(t, Config{}, &services{claim: func(ctx context.Context, req *claimRequest) (*claimResponse, error) {
		deadline, _ := ctx.Deadline()
		remaining <- time.Until(deadline)
		return (&services{}).Claim(ctx, req)
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := grpc().faucet(t, r).Claim(ctx, newClaim()); err != nil {
		t.Fatal(err)
	}
	if left := await(t, remaining, "the call"); left > 30*time.Second || left <= 0 {
		t.Errorf("the call had %s left, want at most 30 s", left)
	}
}
