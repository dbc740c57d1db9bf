package client

import (
	"context"
	"errors"
	"net"
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
	// callTimeout limits a call whose context has no deadline, with all its attempts.
	callTimeout = time.Minute
)

// IsUnreachable says whether an error means that no node was reached, or that the connection broke: nothing that a
// node answered.
func IsUnreachable(err error) bool {
	if err == nil || connect.IsWireError(err) || errors.Is(err, context.Canceled) {
		return false
	}
	return connect.CodeOf(err) == connect.CodeUnavailable || neverSent(err)
}

// neverSent says whether a call failed before the node could have heard of it.
func neverSent(err error) bool {
	failed := (*net.OpError)(nil)
	return errors.As(err, &failed) && failed.Op == "dial"
}

// lost says whether a call may have reached the node though no answer came back.
func mayHaveArrived(err error) bool {
	return err != nil && !connect.IsWireError(err) && !neverSent(err)
}

// writes says whether a procedure changes something, so that making the call twice may do it twice.
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

// retrying repeats calls that failed and may be repeated, and bounds those that nobody bounds.
type retryInterceptor struct{}

// WrapUnary is part of connect.Interceptor.
func (retryInterceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		if _, bounded := ctx.Deadline(); !bounded {
			limited, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			ctx = limited
		}
		delay := backoff.New(retryBackoff, maxRetryBackoff)
		for attempt := 1; ; attempt++ {
			answer, err := next(ctx, request)
			if !isRetryable(request.Spec().Procedure, err) || attempt == maxAttempts || delay.Wait(ctx) != nil {
				return answer, err
			}
		}
	}
}

// repeatable says whether a call that failed can be made again and may then do better.
func isRetryable(procedure string, err error) bool {
	if err == nil {
		return false
	}
	if neverSent(err) {
		slow := net.Error(nil)
		return !errors.As(err, &slow) || !slow.Timeout() // who waited that long has waited enough
	}
	return connect.CodeOf(err) == connect.CodeUnavailable && !isWrite(procedure)
}

// WrapStreamingClient is part of connect.Interceptor. A stream that breaks is for its reader to resume.
func (retryInterceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// WrapStreamingHandler is part of connect.Interceptor.
func (retryInterceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}
