package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
)

// RequestIDHeader carries the id of a request, both ways.
const RequestIDHeader = "X-Request-ID"

// maxRequestIDLength is the longest id that is taken from a client.
const maxRequestIDLength = 64

type requestIDKey struct{}

// RequestID is the id of the request that a context belongs to, or "" outside of one.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// identify gives each request an id, the client's own when it is fit for a log, and answers with it.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(RequestIDHeader)
		if !isRequestID(id) {
			id = rand.Text()
		}
		w.Header().Set(RequestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

func isRequestID(id string) bool {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	return id != "" && len(id) <= maxRequestIDLength && strings.Trim(id, alphabet) == ""
}

// LogHandler makes every line that is logged with the context of a request name the request's id.
func LogHandler(next slog.Handler) slog.Handler {
	if _, done := next.(logHandler); done {
		return next
	}
	return logHandler{next}
}

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	if id := RequestID(ctx); id != "" {
		record = record.Clone()
		record.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}
