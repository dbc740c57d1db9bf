package server

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"makechain/gen/makechain/dev/devpbconnect"
)

// gateway mounts a handler with a mux of its own, as a gateway has.
func gateway() Mount {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/blocks/{number}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "block %s", r.PathValue("number"))
	})
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(w, r.Body); err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
	})
	mux.HandleFunc("GET /v1/panic", func(http.ResponseWriter, *http.Request) { panic("secret") })
	mux.HandleFunc("GET /v1/half", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic("secret")
	})
	return FromHandler("/", mux)
}

// writeError is the ErrorFunc of the tests.
func writeError(w http.ResponseWriter, _ *http.Request, status int, reason string) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "rejected: "+reason)
}

// A reply is a response, or the part of it that was received.
type reply struct {
	status int
	header http.Header
	body   string
	err    error // why there is no more of it
}

// send sends a request over HTTP/1.1.
func (r *running) send(t *testing.T, method, path string, body io.Reader, header http.Header) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	response, err := protocols()[1].client(t).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(read), err}
}

// TestAccessLog checks the log line and the metrics of requests, whose route is the matched pattern and never the path.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	quiet := FromHandler("GET /healthz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })).Probe()
	for _, test := range []struct {
		method, path string
		status       int
		level, route string
		bytes        int
	}{
		{"GET", "/v1/blocks/7", http.StatusOK, "INFO", "GET /v1/blocks/{number}", 7},
		{"HEAD", "/v1/blocks/7", http.StatusOK, "INFO", "GET /v1/blocks/{number}", 7},
		{"GET", "/v1/made/up", http.StatusNotFound, "INFO", "other", 19},
		{"GET", "/v1/panic", http.StatusInternalServerError, "WARN", "GET /v1/panic", 39},
		{"GET", "/healthz", http.StatusOK, "DEBUG", "GET /healthz", 2},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{WriteError: writeError}, &services{}, gateway(), quiet)
			response := r.send(t, test.method, test.path, http.NoBody, http.Header{RequestIDHeader: {"my-id"}})
			if response.status != test.status {
				t.Errorf("response %d, want %d", response.status, test.status)
			}
			line := r.wantLog(t, "msg=request", "level="+test.level, "method="+test.method, fmt.Sprintf("status=%d", test.status),
				fmt.Sprintf("bytes=%d ", test.bytes), "duration=", "client=127.0.0.1", "request_id=my-id")
			if !strings.Contains(line, test.route) {
				t.Errorf("the line does not contain %q: %s", test.route, line)
			}
			class := fmt.Sprintf("%dxx", test.status/100)
			r.wantMetric(t, 1, "makechain_http_duration_seconds", test.route, class)
			r.wantMetric(t, 0, "makechain_http_in_flight")
			if lines := strings.Count(r.log.String(), "msg=request"); lines != 1 {
				t.Errorf("%d log lines for one request", lines)
			}
		})
	}
}

// TestRequestPanics checks that a panic is hidden from the client, and that a truncated response does not look complete.
func TestRequestPanics(t *testing.T) {
	t.Parallel()
	r := start(t, Config{WriteError: writeError}, &services{}, gateway())
	whole := r.send(t, http.MethodGet, "/v1/panic", http.NoBody, http.Header{RequestIDHeader: {"my-id"}})
	if whole.body != "rejected: internal error, request my-id" {
		t.Errorf("response %q", whole.body)
	}
	r.wantLog(t, "level=ERROR", "msg=panic", "panic=secret", "request_id=my-id")
	half := r.send(t, http.MethodGet, "/v1/half", http.NoBody, http.Header{})
	if half.err == nil {
		t.Errorf("a truncated response ended without an error: %q", half.body)
	}
	r.wantMetric(t, 2, "makechain_rpc_panics_total")
	r.wantMetric(t, 1, "makechain_http_duration_seconds", "GET /v1/half", "2xx")
}

// TestBodyLimit checks that a too large body is rejected, with and without Content-Length.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	const limit = 64 << 10
	for _, test := range []struct {
		name string
		size int
		said bool
		want int
	}{
		{"at the limit", limit, true, http.StatusOK},
		{"at the limit, chunked", limit, false, http.StatusOK},
		{"over the limit", limit + 1, true, http.StatusRequestEntityTooLarge},
		{"over the limit, chunked", limit + 1, false, http.StatusRequestEntityTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{WriteError: writeError, Limits: Limits{MaxRequestBytes: limit}}, &services{}, FromHandler("/v1/", readFirst()))
			var body io.Reader = strings.NewReader(strings.Repeat("x", test.size))
			if !test.said {
				body = io.MultiReader(body)
			}
			response := r.send(t, http.MethodPost, "/v1/messages", body, http.Header{"Content-Type": {"application/json"}})
			if response.status != test.want {
				t.Errorf("response %d: %s, want %d", response.status, response.body, test.want)
			}
		})
	}
}

// readFirst responds after it has read the body.
func readFirst() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
	})
}

// TestRateLimitOfRequests checks that requests are rejected by Config.WriteError and calls in their protocol, even though a
// Connect call with JSON looks like an ordinary request.
func TestRateLimitOfRequests(t *testing.T) {
	t.Parallel()
	asJSON := http.Header{"Content-Type": {"application/json"}}
	for _, test := range []struct{ name, path, want string }{
		{"request", "/v1/messages", "rejected: too many requests from this address, try again later"},
		{"call", claimMethod, `{"code":"resource_exhausted","message":"too many requests from this address, try again later"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{WriteError: writeError, Limits: Limits{RequestsPerSecond: 0.001, Burst: 1, LimitLoopback: true}}, &services{}, gateway())
			if first := r.send(t, http.MethodPost, test.path, strings.NewReader("{}"), asJSON); first.status != http.StatusOK {
				t.Fatalf("response %d: %s", first.status, first.body)
			}
			second := r.send(t, http.MethodPost, test.path, strings.NewReader("{}"), asJSON)
			if second.status != http.StatusTooManyRequests || second.body != test.want {
				t.Errorf("response %d %q, want %q", second.status, second.body, test.want)
			}
			if wait := second.header.Get("Retry-After"); wait != "1000" {
				t.Errorf("Retry-After is %q, want 1000", wait)
			}
			r.wantMetric(t, 1, "makechain_rpc_refused_total", refusedRate)
		})
	}
}

// TestPlainTextErrors checks the response of a server without Config.WriteError.
func TestPlainTextErrors(t *testing.T) {
	t.Parallel()
	r := start(t, Config{Limits: Limits{MaxRequestBytes: 10}}, &services{}, gateway())
	response := r.send(t, http.MethodPost, "/v1/messages", strings.NewReader("more than ten bytes"), http.Header{})
	if response.status != http.StatusRequestEntityTooLarge || !strings.Contains(response.body, "larger than 10 bytes") {
		t.Errorf("response %d %q", response.status, response.body)
	}
}

// TestIdleEventStream checks that an event stream may be idle for longer than the write timeout.
func TestIdleEventStream(t *testing.T) {
	t.Parallel()
	const brief = 50 * time.Millisecond
	r := start(t, Config{Limits: Limits{ReadTimeout: brief, WriteTimeout: brief, UnaryTimeout: brief}}, &services{},
		FromHandler("/v1/stream/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).Flush()
			later := time.NewTimer(4 * brief)
			defer later.Stop()
			select {
			case <-later.C:
				_, _ = io.WriteString(w, "data: late\n\n")
			case <-r.Context().Done():
			}
		})))
	response := r.send(t, http.MethodGet, "/v1/stream/blocks", http.NoBody, http.Header{})
	if response.body != "data: late\n\n" {
		t.Errorf("the stream returned %q, %v", response.body, response.err)
	}
}

// TestCompress checks which responses are compressed.
func TestCompress(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("again ", 1_000)
	for _, test := range []struct {
		name, accept, kind, body string
		compressed               bool
	}{
		{"large", "gzip", "application/json", long, true},
		{"large problem", "gzip, br", "application/problem+json", long, true},
		{"small", "gzip", "application/json", "{}", false},
		{"not accepted", "", "application/json", long, false},
		{"accepted with q=0", "gzip;q=0", "application/json", long, false},
		{"events", "gzip", "text/event-stream", long, false},
		{"unknown", "gzip", "application/octet-stream", long, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			handler, err := Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.kind)
				_, _ = io.WriteString(w, test.body)
			}))
			if err != nil {
				t.Fatal(err)
			}
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
			request.Header.Set("Accept-Encoding", test.accept)
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, request)
			var body io.Reader = recorder.Body
			compressed := recorder.Header().Get("Content-Encoding") == "gzip"
			if compressed != test.compressed {
				t.Errorf("compressed: %t, want %t", compressed, test.compressed)
			}
			if compressed {
				if body, err = gzip.NewReader(recorder.Body); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := io.ReadAll(body); err != nil || string(got) != test.body {
				t.Errorf("the body is %d bytes, %v, want %d", len(got), err, len(test.body))
			}
			if !slices.Contains(recorder.Header().Values("Vary"), "Accept-Encoding") {
				t.Errorf("Vary is %q", recorder.Header().Values("Vary"))
			}
		})
	}
}

// TestPreflightOfRequests checks that web pages may send the methods and headers of a gateway.
func TestPreflightOfRequests(t *testing.T) {
	t.Parallel()
	r := start(t, Config{}, &services{}, gateway())
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		response := r.send(t, http.MethodOptions, "/v1/messages", http.NoBody, http.Header{
			"Origin": {"https://page.example"}, "Access-Control-Request-Method": {method},
			"Access-Control-Request-Headers": {"cache-control,content-type,last-event-id,x-request-id"},
		})
		allowed := response.header.Get("Access-Control-Allow-Methods") == method &&
			strings.Contains(response.header.Get("Access-Control-Allow-Headers"), "last-event-id")
		if want := method != http.MethodDelete; allowed != want || response.status != http.StatusNoContent {
			t.Errorf("%s is allowed: %t, want %t, by %d with %v", method, allowed, want, response.status, response.header)
		}
	}
}

// TestServices calls the services of one server through another one and checks that a call is limited, logged and measured
// once, with the request id and client address of the outer server.
func TestServices(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			inner := start(t, Config{Limits: Limits{RequestsPerSecond: 0.001, Burst: 1, LimitLoopback: true}}, &services{})
			outer, err := New(Config{Addr: "127.0.0.1:0", Registerer: inner.registry},
				Passthrough("/makechain.MakechainService/", inner.Services()),
				Passthrough("/"+devpbconnect.FaucetServiceName+"/", inner.Services()),
				Passthrough("/grpc.health.v1.Health/", inner.Services()))
			if err != nil {
				t.Fatal(err)
			}
			go func() { _ = outer.Serve(context.Background()) }()
			t.Cleanup(func() { _ = outer.Close() })
			through := &running{Server: outer, url: "http://" + outer.Addr().String(), registry: inner.registry, log: inner.log}
			for range 3 { // more than the inner server would take from one client
				if err := claimAs(t, p, through, "my-id"); err != nil {
					t.Fatal(err)
				}
			}
			if err := subscribeAs(t, p, through, "my-id"); err != nil {
				t.Fatal(err)
			}
			inner.wantMetric(t, 3, "makechain_rpc_duration_seconds", claimMethod, "ok")
			inner.wantLog(t, "msg=call", "method="+subscribeMethod, "request_id=my-id", "client=127.0.0.1")
		})
	}
}

// TestOneLineForEachRequest checks that calls made for a request are not logged too, unless they fail unexpectedly.
func TestOneLineForEachRequest(t *testing.T) {
	t.Parallel()
	r := start(t, Config{}, &services{
		claim: func(context.Context, *claimRequest) (*claimResponse, error) {
			return nil, connect.NewError(connect.CodeNotFound, errors.New("no such account"))
		},
	})
	outer, err := New(Config{Addr: "127.0.0.1:0", Registerer: r.registry}, FromHandler("/v1/", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		call := httptest.NewRequestWithContext(req.Context(), http.MethodPost, claimMethod, strings.NewReader("{}"))
		call.Header.Set("Content-Type", "application/json")
		r.Services().ServeHTTP(w, call)
	})))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = outer.Serve(context.Background()) }()
	t.Cleanup(func() { _ = outer.Close() })
	through := &running{url: "http://" + outer.Addr().String()}
	if response := through.send(t, http.MethodGet, "/v1/account", http.NoBody, http.Header{}); response.status != http.StatusNotFound {
		t.Errorf("response %d", response.status)
	}
	r.wantLog(t, "level=DEBUG", "msg=call", "code=not_found")
	if strings.Contains(r.log.String(), "level=INFO") {
		t.Errorf("the call is logged in addition to the request:\n%s", r.log)
	}
}
