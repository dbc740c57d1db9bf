package server

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTranslateText checks that a handler receives base64 requests as binary, and that its response is encoded as base64, in
// which each flushed part can be decoded on its own.
func TestTranslateText(t *testing.T) {
	t.Parallel()
	for size := range 10 {
		content := bytes.Repeat([]byte{0xfe}, size)
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got, err := io.ReadAll(r.Body)
			if err != nil || !bytes.Equal(got, content) || r.Header.Get("Content-Type") != "application/grpc-web+proto" {
				t.Errorf("the handler got %x as %s: %v", got, r.Header.Get("Content-Type"), err)
			}
			w.Header().Set("Content-Type", "application/grpc-web+proto")
			for range 3 {
				if err := http.NewResponseController(w).Flush(); err != nil { // the headers come first
					t.Error(err)
				}
				for _, b := range content {
					if n, err := w.Write([]byte{b}); n != 1 || err != nil {
						t.Errorf("wrote %d bytes: %v", n, err)
					}
				}
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
			}
		})
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(base64.StdEncoding.EncodeToString(content)))
		request.Header.Set("Content-Type", "application/grpc-web-text+proto")
		answer := httptest.NewRecorder()
		translateText(handler).ServeHTTP(answer, request)
		want := strings.Repeat(base64.StdEncoding.EncodeToString(content), 3)
		if answer.Body.String() != want {
			t.Errorf("%d bytes: got %q, want %q", size, answer.Body, want)
		}
		if got := answer.Header().Get("Content-Type"); got != "application/grpc-web-text+proto" {
			t.Errorf("%d bytes: the response is %s", size, got)
		}
	}
}

// TestTranslateTextOnly checks that other requests and responses are not changed.
func TestTranslateTextOnly(t *testing.T) {
	t.Parallel()
	handler := translateText(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(w, r.Body); err != nil {
			t.Error(err)
		}
	}))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("{}"))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	if answer.Body.String() != "{}" {
		t.Errorf("got %q", answer.Body)
	}
}
