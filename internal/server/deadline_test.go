package server

import (
	"io"
	"net/http"
	"strings"
	"sync"
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
	var late sync.WaitGroup
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		late.Go(func() { _, _ = io.Copy(io.Discard, r.Body) }) // as a transport does that passes the request on
		late.Go(func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Now()) })
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
	late.Wait()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
