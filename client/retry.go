package client

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"connectrpc.com/connect"

	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/backoff"
)

const (
	// maxAttempts is how often a call is made before its error is returned.
	maxAttempts = 5
	// retryBackoff and maxRetryBackoff are the first delay between two attempts and the longest.
	retryBackoff    = 50 * time.Millisecond
	maxRetryBackoff = time.Second
	// callTimeout is the default of WithCallTimeout.
	callTimeout = time.Minute
)

// IsUnreachable reports whether an error means that the node was not reached or that the connection broke, as opposed
// to an error that a node returned.
func IsUnreachable(err error) bool {
	failed := (*connect.Error)(nil)
	if err == nil || connect.IsWireError(err) || errors.Is(err, context.Canceled) || !errors.As(err, &failed) {
		return neverSent(err)
	}
	switch failed.Code() {
	case connect.CodeUnavailable, connect.CodeCanceled: // a connection that the server resets is reported as canceled
		return true
	case connect.CodeUnknown, connect.CodeUnimplemented: // the response is not one of gRPC
		return true
	default:
		return neverSent(err)
	}
}

// IsOtherServer reports whether an error means that something answered that is not a node, or that a connection broke.
func IsOtherServer(err error) bool { return IsUnreachable(err) && !neverSent(err) }

// neverSent reports whether a call failed before the connection was established.
func neverSent(err error) bool {
	failed := (*net.OpError)(nil)
	return errors.As(err, &failed) && failed.Op == "dial"
}

// mayHaveArrived reports whether a failed call may have reached the node although no response came back.
func mayHaveArrived(err error) bool {
	return err != nil && !connect.IsWireError(err) && !neverSent(err)
}

// isWrite reports whether a procedure has effects, so that a repeated call may have them twice.
func isWrite(procedure string) bool {
	switch procedure {
	case makechainpbconnect.MakechainServiceSubmitMessageProcedure,
		makechainpbconnect.MakechainServiceBatchSubmitMessagesProcedure,
		devpbconnect.FaucetServiceClaimProcedure:
		return true
	default:
		return false
	}
}

// retryInterceptor retries calls that failed and may be repeated, and sets a deadline where the caller set none.
type retryInterceptor struct{ timeout time.Duration }

// WrapUnary is part of connect.Interceptor.
func (r retryInterceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		if _, bounded := ctx.Deadline(); !bounded {
			limited, cancel := context.WithTimeout(ctx, r.timeout)
			defer cancel()
			ctx = limited
		}
		delay := backoff.New(retryBackoff, maxRetryBackoff)
		for attempt := 1; ; attempt++ {
			response, err := next(ctx, request)
			if wait, isLimited := rateLimited(err); isLimited && canWait(ctx, wait) {
				attempt-- // the deadline of the call bounds these attempts
				continue
			}
			if !isRetryable(request.Spec().Procedure, err) || attempt == maxAttempts || delay.Wait(ctx) != nil {
				return response, err
			}
		}
	}
}

// rateLimited returns how long a node that refused a call because of its rate limit asks to wait. Such a call had no effect.
func rateLimited(err error) (wait time.Duration, ok bool) {
	refused := (*connect.Error)(nil)
	if !errors.As(err, &refused) || refused.Code() != connect.CodeResourceExhausted {
		return 0, false
	}
	seconds, err := strconv.ParseUint(refused.Meta().Get("Retry-After"), 10, 16)
	return max(time.Duration(seconds)*time.Second, retryBackoff), err == nil
}

// canWait waits, unless the call ends before. It reports whether it has waited.
func canWait(ctx context.Context, wait time.Duration) bool {
	if deadline, bounded := ctx.Deadline(); bounded && time.Until(deadline) < wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// isRetryable reports whether a call that failed with err may be repeated.
func isRetryable(procedure string, err error) bool {
	if err == nil {
		return false
	}
	if neverSent(err) {
		dialed := net.Error(nil)
		return !errors.As(err, &dialed) || !dialed.Timeout() // a second dial timeout would take as long again
	}
	reset := connect.CodeOf(err) == connect.CodeCanceled && IsUnreachable(err)
	return (reset || connect.CodeOf(err) == connect.CodeUnavailable) && !isWrite(procedure)
}

// WrapStreamingClient is part of connect.Interceptor. The reader of a stream resumes it after a break.
func (retryInterceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// WrapStreamingHandler is part of connect.Interceptor.
func (retryInterceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}
