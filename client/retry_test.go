package client

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
)

// TestRetryAfter checks that a call beyond the rate limit of a node is repeated after the time that the node asks for, unless
// the call ends before.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	refuse := func(retryAfter string) error {
		refused := connect.NewError(connect.CodeResourceExhausted, errors.New("too many requests"))
		refused.Meta().Set("Retry-After", retryAfter)
		return refused
	}
	for _, test := range []struct {
		name     string
		refusals int
		err      error
		timeout  time.Duration
		calls    int
		took     time.Duration
	}{
		{"refused twice", 2, refuse("2"), time.Minute, 3, 4 * time.Second},
		{"refused often", 10, refuse("1"), time.Minute, 11, 10 * time.Second},
		{"too long", 1, refuse("2"), time.Second, 1, 0},
		{"no time", 1, refuse(""), time.Minute, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				call := retryInterceptor{callTimeout}.WrapUnary(func(context.Context, connect.AnyRequest) (connect.AnyResponse, error) {
					if calls++; calls <= test.refusals {
						return nil, test.err
					}
					return connect.NewResponse(&pb.GetHealthResponse{}), nil
				})
				ctx, cancel := context.WithTimeout(t.Context(), test.timeout)
				defer cancel()
				start := time.Now()
				_, err := call(ctx, connect.NewRequest(&pb.GetHealthRequest{}))
				if answered := err == nil; answered != (test.calls > test.refusals) || calls != test.calls || time.Since(start) != test.took {
					t.Errorf("%d calls in %s: %v; want %d in %s", calls, time.Since(start), err, test.calls, test.took)
				}
			})
		})
	}
}
