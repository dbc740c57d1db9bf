package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"
)

// otherRoute stands for requests that no pattern of the handler matched, so that clients cannot make up new labels.
const otherRoute = "other"

type observedKey struct{}

// isObserved says whether a call is made on behalf of a request that has a line of its own in the log.
func isObserved(ctx context.Context) bool { return ctx.Value(observedKey{}) != nil }

// observe gives requests a line in the log and a place in the metrics, and survives the panics of their handler.
func (s *stack) observe(mounted route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.metrics.requestsInFlight.Inc()
		defer s.metrics.requestsInFlight.Dec()
		began, watched := time.Now(), &watchedWriter{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), observedKey{}, true))
		defer func() {
			fault := recover()
			isCut := isAbort(fault) || fault != nil && watched.status != 0
			s.reportPanic(watched, r, fault)
			s.account(mounted, r, watched, time.Since(began))
			if isCut {
				panic(http.ErrAbortHandler) // invariant: half an answer must not look like a whole one
			}
		}()
		next.ServeHTTP(watched, r)
	})
}

// account writes down what became of a request.
func (s *stack) account(mounted route, r *http.Request, answer *watchedWriter, took time.Duration) {
	name, status := routeName(mounted, r), answer.code()
	s.metrics.requestSeconds.WithLabelValues(name, statusClass(status)).Observe(took.Seconds())
	s.config.Log.LogAttrs(r.Context(), requestLevel(status, mounted.quiet), "request",
		slog.String(labelMethod, r.Method), slog.String(labelRoute, name), slog.Int("status", status),
		slog.Int64("bytes", answer.bytes), slog.Duration("duration", took), slog.String("client", ClientAddress(r.Context()).String()))
}

// isAbort says whether a panic is net/http's own way to cut a connection.
func isAbort(fault any) bool {
	err, isError := fault.(error)
	return isError && errors.Is(err, http.ErrAbortHandler)
}

// reportPanic tells the log what went wrong, and the client that something did.
func (s *stack) reportPanic(w *watchedWriter, r *http.Request, fault any) {
	if fault == nil || isAbort(fault) {
		return
	}
	s.metrics.panics.Inc()
	s.config.Log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("path", r.URL.Path),
		slog.String("panic", fmt.Sprint(fault)), slog.String("stack", string(debug.Stack())))
	if w.status == 0 {
		s.config.Refuse(w, r, http.StatusInternalServerError, internalReason(r.Context()))
	}
}

// routeName is the pattern that a request matched below its mount. The server's own mux noted the mount's.
func routeName(mounted route, r *http.Request) string {
	if r.Pattern == mounted.pattern && mounted.pattern == "/" || r.Pattern == "" {
		return otherRoute
	}
	return r.Pattern
}

func statusClass(status int) string { return strconv.Itoa(status/100) + "xx" }

// requestLevel is a warning for what we did wrong. Clients that are told to slow down would fill a log.
func requestLevel(status int, quiet bool) slog.Level {
	switch {
	case status == http.StatusTooManyRequests, quiet && status < http.StatusBadRequest:
		return slog.LevelDebug
	case status == http.StatusInternalServerError:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}

// A watchedWriter remembers what was answered.
type watchedWriter struct {
	http.ResponseWriter
	status int // zero before there is one
	bytes  int64
}

// code is the status that the client got: a handler that wrote nothing has said yes.
func (w *watchedWriter) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

func (w *watchedWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK { // before that it is news, not an answer
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	w.status = w.code()
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Flush sends what is buffered, at first the headers. Streams need it.
func (w *watchedWriter) Flush() {
	w.status = w.code()
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the next write reports a connection that is gone
}

// Unwrap gives http.ResponseController the writer below.
func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
