package server

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestDeadlinesAfterReturn checks that neither a timer that expires while its handler returns nor a body that is read or a
// deadline that is set afterwards uses the response writer: net/http reuses what belongs to it, so that the process would
// panic.
func TestDeadlinesAfterReturn(t *testing.T) {
	t.Parallel()
	const clients, requests = 8, 200
	content := strings.Repeat("x", 4<<10)
	var late atomic.Int64 // goroutines that may outlive their handler
	outlive := func(use func()) {
		late.Add(1)
		go func() {
			defer late.Add(-1)
			use()
		}()
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		outlive(func() { _, _ = io.Copy(io.Discard, r.Body) }) // as a transport does that passes the request on
		outlive(func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Now()) })
		_, _ = io.WriteString(w, "x")
		_ = http.NewResponseController(w).Flush()
	})
	r := start(t, Config{Limits: Limits{
		ReadTimeout: 10 * time.Microsecond, WriteTimeout: 10 * time.Microsecond, RequestsPerSecond: -1,
	}}, &services{}, FromHandler("/timed", handler), Transfer("/rated/", handler))
	for _, path := range []string{"/timed", "/rated/a"} {
		client := grpc().client(t)
		var sent sync.WaitGroup
		for range clients {
			sent.Go(func() {
				for range requests {
					request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, r.url+path, strings.NewReader(content))
					if err != nil {
						t.Error(err)
						return
					}
					if response, err := client.Do(request); err == nil { // otherwise the deadline expired before
						_, _ = io.Copy(io.Discard, response.Body)
						_ = response.Body.Close()
					}
				}
			})
		}
		sent.Wait()
	}
	eventually(t, func() bool { return late.Load() == 0 }, func() { t.Errorf("%d goroutines still use a request", late.Load()) })
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
