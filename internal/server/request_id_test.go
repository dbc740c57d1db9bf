package server

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRequestID checks that a valid id of a client is kept and an invalid one is replaced.
func TestRequestID(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, given string
		kept        bool
	}{
		{"valid", "deploy-7.a_B", true},
		{"maximum length", strings.Repeat("x", maxRequestIDLength), true},
		{"none", "", false},
		{"too long", strings.Repeat("x", maxRequestIDLength+1), false},
		{"space", "a b", false},
		{"log injection", `a" level=ERROR`, false},
		{"not ASCII", "ünicode", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var seen string
			handler := withRequestID(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = RequestID(r.Context()) }))
			recorder, request := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
			request.Header.Set(RequestIDHeader, test.given)
			handler.ServeHTTP(recorder, request)
			if (seen == test.given) != test.kept || !isRequestID(seen) {
				t.Errorf("given %q, used %q", test.given, seen)
			}
			if answered := recorder.Header().Get(RequestIDHeader); answered != seen {
				t.Errorf("used %q, returned %q", seen, answered)
			}
		})
	}
}

// TestGeneratedRequestIDs checks that generated ids differ.
func TestGeneratedRequestIDs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	handler := withRequestID(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen[RequestID(r.Context())] = true }))
	for range 2 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	}
	if len(seen) != 2 {
		t.Errorf("two requests have the ids %v", seen)
	}
}

// TestLogHandler checks that records with the context of a request have its id once, and others have none.
func TestLogHandler(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	log := slog.New(LogHandler(LogHandler(slog.NewTextHandler(&lines, nil)))).With("part", "feed")
	log.InfoContext(context.WithValue(t.Context(), requestIDKey{}, "my-id"), "inside")
	log.InfoContext(t.Context(), "outside")
	inside, outside, _ := strings.Cut(lines.String(), "\n")
	if strings.Count(inside, "request_id=my-id") != 1 || !strings.Contains(inside, "part=feed") {
		t.Errorf("record of a request: %s", inside)
	}
	if strings.Contains(outside, "request_id") {
		t.Errorf("record without a request: %s", outside)
	}
}
