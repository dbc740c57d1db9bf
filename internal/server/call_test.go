package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
)

// TestCallUnary checks that calls in the process have the timeout, response limit, error handling and metrics of calls over
// a connection.
func TestCallUnary(t *testing.T) {
	t.Parallel()
	r := start(t, Config{Limits: Limits{UnaryTimeout: 20 * time.Millisecond, MaxResponseBytes: 100}}, &services{})
	for _, test := range []struct {
		name string
		run  func(context.Context) (any, error)
		code connect.Code
	}{
		{"success", func(context.Context) (any, error) { return &pb.Message{}, nil }, 0},
		{"coded error", func(context.Context) (any, error) {
			return nil, connect.NewError(connect.CodeNotFound, errors.New("no such ref"))
		}, connect.CodeNotFound},
		{"unexpected error", func(context.Context) (any, error) { return nil, errors.New("secret") }, connect.CodeInternal},
		{"panic", func(context.Context) (any, error) { panic("secret") }, connect.CodeInternal},
		{"timeout", func(ctx context.Context) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, connect.CodeDeadlineExceeded},
		{"large response", func(context.Context) (any, error) { return &pb.Message{DataBytes: make([]byte, 101)}, nil }, connect.CodeResourceExhausted},
	} {
		err := r.CallUnary(t.Context(), "/"+test.name, test.run)
		if test.code == 0 && err != nil || test.code != 0 && connect.CodeOf(err) != test.code {
			t.Errorf("%s: error %v, want code %d", test.name, err, test.code)
		}
		r.wantMetric(t, 1, "makechain_rpc_duration_seconds", "/"+test.name, codeName(err))
	}
}

// TestCallStream checks that streams in the process are not limited in number and end when the server closes.
func TestCallStream(t *testing.T) {
	t.Parallel()
	r := start(t, Config{Limits: Limits{MaxStreams: 1}}, &services{})
	const streams = 3
	opened, ended := make(chan struct{}, streams), make(chan error, streams)
	for range streams {
		go func() {
			ended <- r.CallStream(t.Context(), "/stream", func(ctx context.Context) error {
				opened <- struct{}{}
				<-ctx.Done()
				return ctx.Err()
			})
		}()
	}
	for range streams {
		await(t, opened, "the streams")
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	for range streams {
		wantCode(t, await(t, ended, "the end of the streams"), connect.CodeUnavailable)
	}
}
