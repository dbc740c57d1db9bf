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

// otherRoute labels requests that match no pattern of the handler, so that clients cannot create new label values.
const otherRoute = "other"

type observedKey struct{}

// isObserved reports whether a call is made for a request that has a log line of its own.
func isObserved(ctx context.Context) bool { return ctx.Value(observedKey{}) != nil }

// observe logs and measures requests, and recovers the panics of their handler.
func (s *stack) observe(mounted route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.metrics.requestsInFlight.Inc()
		defer s.metrics.requestsInFlight.Dec()
		start, observed := time.Now(), &observedWriter{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), observedKey{}, true))
		defer func() {
			value := recover()
			abort := isAbort(value) || value != nil && observed.status != 0
			s.reportPanic(observed, r, value)
			s.logRequest(mounted, r, observed, time.Since(start))
			if abort {
				panic(http.ErrAbortHandler) // invariant: a truncated response must not look complete
			}
		}()
		next.ServeHTTP(observed, r)
	})
}

// logRequest logs and measures a request that was answered.
func (s *stack) logRequest(mounted route, r *http.Request, w *observedWriter, duration time.Duration) {
	name, status := routeName(mounted, r), w.code()
	s.metrics.requestSeconds.WithLabelValues(name, strconv.Itoa(status/100)+"xx").Observe(duration.Seconds())
	s.config.Log.LogAttrs(r.Context(), requestLevel(status, mounted.probe), "request",
		slog.String(labelMethod, r.Method), slog.String(labelRoute, name), slog.Int("status", status),
		slog.Int64("bytes", w.bytes), slog.Duration("duration", duration), slog.String("client", ClientAddress(r.Context()).String()))
}

// isAbort reports whether a recovered value is http.ErrAbortHandler, with which handlers close a connection.
func isAbort(value any) bool {
	err, isError := value.(error)
	return isError && errors.Is(err, http.ErrAbortHandler)
}

// reportPanic logs a panic, and responds with status 500 if nothing was written yet.
func (s *stack) reportPanic(w *observedWriter, r *http.Request, value any) {
	if value == nil || isAbort(value) {
		return
	}
	s.metrics.panics.Inc()
	s.config.Log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("path", r.URL.Path),
		slog.String("panic", fmt.Sprint(value)), slog.String("stack", string(debug.Stack())))
	if w.status == 0 {
		s.config.WriteError(w, r, http.StatusInternalServerError, internalReason(r.Context()))
	}
}

// routeName returns the pattern that a request matched below its mount. The server's own mux has set that of the mount.
func routeName(mounted route, r *http.Request) string {
	if r.Pattern == mounted.pattern && mounted.pattern == "/" || r.Pattern == "" {
		return otherRoute
	}
	return r.Pattern
}

// requestLevel returns the level at which a request is logged: a warning for an error of the server, debug for rate-limited
// requests and for successful ones of a probe, info otherwise.
func requestLevel(status int, isProbe bool) slog.Level {
	switch {
	case status == http.StatusTooManyRequests, isProbe && status < http.StatusBadRequest:
		return slog.LevelDebug
	case status == http.StatusInternalServerError:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}

// An observedWriter records the status and size of a response.
type observedWriter struct {
	http.ResponseWriter
	status int // zero before the headers are written
	bytes  int64
}

// code returns the status that the client received. A handler that writes nothing responds with 200.
func (w *observedWriter) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

func (w *observedWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK { // 1xx responses are informational
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *observedWriter) Write(p []byte) (int, error) {
	w.status = w.code()
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Flush sends buffered data, as streams require.
func (w *observedWriter) Flush() {
	w.status = w.code()
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the next write returns the error of a closed connection
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *observedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
