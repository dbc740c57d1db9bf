package rest_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"makechain/internal/rest"
)

// patience bounds what a test waits for.
const patience = 30 * time.Second

func request(ctx context.Context, t *testing.T, handler http.HandlerFunc, body string) (*http.Response, error) {
	t.Helper()
	asked, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://node/some/path?query=1", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return rest.InProcess(handler).Do(asked)
}

// TestInProcess makes a call without a network.
func TestInProcess(t *testing.T) {
	t.Parallel()
	answer, err := request(t.Context(), t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.RequestURI != "/some/path?query=1" || r.Host != "node" || r.RemoteAddr == "" {
			t.Errorf("%s of %s from %s: %v", r.RequestURI, r.Host, r.RemoteAddr, err)
		}
		w.Header().Set("X-Answer", "yes")
		w.WriteHeader(http.StatusTeapot)
		w.Header().Set("X-Answer", "too late")
		_, _ = w.Write(append([]byte("heard "), body...))
	}, "hello")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil || string(body) != "heard hello" || answer.StatusCode != http.StatusTeapot || answer.Header.Get("X-Answer") != "yes" {
		t.Errorf("%d %v %q: %v", answer.StatusCode, answer.Header, body, err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
}

// TestInProcessStream reads what a handler writes before the handler ends, and ends it by leaving.
func TestInProcessStream(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	answer, err := request(t.Context(), t, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.Flush()
		_, _ = io.WriteString(w, "one\n")
		<-r.Context().Done()
		_, err := io.WriteString(w, "two\n")
		ended <- errors.Join(err, control.Flush())
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(answer.Body).ReadString('\n')
	if err != nil || line != "one\n" {
		t.Errorf("%q: %v", line, err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the handler wrote to nobody")
		}
	case <-time.After(patience):
		t.Error("the handler goes on")
	}
}

// TestInProcessEnds has handlers that say nothing, and callers that leave first.
func TestInProcessEnds(t *testing.T) {
	t.Parallel()
	answer, err := request(t.Context(), t, func(http.ResponseWriter, *http.Request) {}, "")
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v: %v", answer, err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = request(ctx, t, func(_ http.ResponseWriter, r *http.Request) { //nolint:bodyclose // there is no answer
		cancel()
		<-r.Context().Done()
	}, "")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a call given up: %v", err)
	}
	_, err = request(t.Context(), t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "") //nolint:bodyclose // there is no answer
	if err == nil {
		t.Error("an aborted call has an answer")
	}
	answer, err = request(t.Context(), t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		panic(http.ErrAbortHandler)
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(answer.Body); err == nil {
		t.Errorf("half an answer looks whole: %q", body)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
}
