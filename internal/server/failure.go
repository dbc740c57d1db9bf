package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"connectrpc.com/connect"
)

// guard runs a call and turns whatever comes of it into an error that a client may see.
func (i *interceptor) guard(ctx context.Context, method string, run func() error) (err error) {
	running := i.metrics.inFlight.WithLabelValues(method)
	running.Inc()
	defer running.Dec()
	defer func() {
		switch fault := recover(); fault {
		case nil:
		case http.ErrAbortHandler:
			panic(fault) // invariant: net/http's own way to cut a connection
		default:
			i.metrics.panics.Inc()
			i.log.LogAttrs(ctx, slog.LevelError, "panic", slog.String(labelMethod, method),
				slog.String("panic", fmt.Sprint(fault)), slog.String("stack", string(debug.Stack())))
			err = internalError(ctx)
		}
	}()
	return i.disclose(ctx, method, run())
}

// disclose decides what a client gets to know. What a service says in words of the protocol passes. What
// it did not foresee stays in the log, under the id that the client is told.
func (i *interceptor) disclose(ctx context.Context, method string, err error) error {
	var known *connect.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errShuttingDown) && isCancellation(err):
		return connect.NewError(connect.CodeUnavailable, errShuttingDown)
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.Canceled):
		return connect.NewError(connect.CodeCanceled, context.Canceled)
	case errors.Is(err, context.DeadlineExceeded):
		return connect.NewError(connect.CodeDeadlineExceeded, context.DeadlineExceeded)
	default:
		i.log.LogAttrs(ctx, slog.LevelError, "unforeseen error", slog.String(labelMethod, method), slog.String("error", err.Error()))
		return internalError(ctx)
	}
}

func isCancellation(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, errShuttingDown) || connect.CodeOf(err) == connect.CodeCanceled
}

func internalError(ctx context.Context) error {
	return connect.NewError(connect.CodeInternal, errors.New(internalReason(ctx)))
}

// internalReason is all that a client gets to know of a failure nobody foresaw.
func internalReason(ctx context.Context) string { return "internal error, request " + RequestID(ctx) }
