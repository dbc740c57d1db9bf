package gateway_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/node/nodetest"
	"makechain/internal/server"
)

// fromAfar are headers of a request that a trusted proxy forwards from another machine.
var fromAfar = []string{"X-Forwarded-For", "203.0.113.7"}

// serverConfig trusts the loopback address as a proxy.
func serverConfig() server.Config {
	return server.Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
}

// healthyNode is a node with a given readiness.
type healthyNode struct {
	fake

	ready, catchingUp bool
}

func (n healthyNode) GetNodeStatus(context.Context, *connect.Request[pb.GetNodeStatusRequest]) (*connect.Response[pb.GetNodeStatusResponse], error) {
	return connect.NewResponse(&pb.GetNodeStatusResponse{CatchingUp: n.catchingUp, MempoolSize: 3}), nil
}

func (n healthyNode) GetHealth(context.Context, *connect.Request[pb.GetHealthRequest]) (*connect.Response[pb.GetHealthResponse], error) {
	return connect.NewResponse(&pb.GetHealthResponse{Serving: true, Ready: n.ready, CurrentBlock: 7}), nil
}

// TestProbes checks liveness and readiness.
// Rules: REST.
func TestProbes(t *testing.T) {
	t.Parallel()
	ready := start(t, serverConfig(), inProcess(t, healthyNode{ready: true})).URL()
	behind := start(t, serverConfig(), inProcess(t, healthyNode{catchingUp: true})).URL()
	stalled := start(t, serverConfig(), inProcess(t, healthyNode{})).URL()
	for _, url := range []string{ready, behind, stalled} {
		if got := ask(t, http.MethodGet, url+"/healthz", http.NoBody); got.status != http.StatusOK || string(got.body) != "{\"serving\":true}\n" {
			t.Errorf("/healthz answered %d %s", got.status, got.body)
		}
	}
	if got := ask(t, http.MethodGet, ready+"/readyz", http.NoBody); got.status != http.StatusOK || string(got.body) != "{\"ready\":true,\"current_block\":\"7\"}\n" {
		t.Errorf("/readyz answered %d %s", got.status, got.body)
	}
	for url, want := range map[string]string{behind: "catching up", stalled: "no blocks although 3 messages are pending"} {
		detail := ask(t, http.MethodGet, url+"/readyz", http.NoBody).wantProblem(t, http.StatusServiceUnavailable, "unavailable")
		if !strings.Contains(detail, want) || !strings.Contains(detail, "block is 7") {
			t.Errorf("/readyz says %q, want %q", detail, want)
		}
	}
}

// TestMetricsAccess checks that metrics are served only to clients on this machine.
// Rules: REST.
func TestMetricsAccess(t *testing.T) {
	t.Parallel()
	url := start(t, serverConfig(), inProcess(t, healthyNode{ready: true})).URL()
	ask(t, http.MethodGet, url+"/v1/node/health", http.NoBody)
	got := ask(t, http.MethodGet, url+"/metrics", http.NoBody)
	const want = `makechain_http_duration_seconds_count{class="2xx",route="GET /v1/node/health"} 1`
	if got.status != http.StatusOK || !strings.Contains(string(got.body), want) {
		t.Errorf("/metrics answered %d without %s:\n%s", got.status, want, got.body)
	}
	ask(t, http.MethodGet, url+"/metrics", http.NoBody, fromAfar...).wantProblem(t, http.StatusForbidden, "permission_denied")

	got = ask(t, http.MethodGet, url+"/metrics", http.NoBody, "Origin", "https://page.example")
	if _, allowed := got.header["Access-Control-Allow-Origin"]; got.status != http.StatusOK || allowed {
		t.Errorf("/metrics answered %d, readable by web pages: %t", got.status, allowed)
	}
}

// TestUndeclaredProxy checks that the clients of a proxy on this machine are not local, although it is not configured.
// Rules: REST.
func TestUndeclaredProxy(t *testing.T) {
	t.Parallel()
	limits := server.Limits{RequestsPerSecond: 0.001, Burst: 2}
	for _, header := range [][]string{fromAfar, {"X-Forwarded-For", "127.0.0.1"}, {"Forwarded", "for=203.0.113.7"}} {
		url := start(t, server.Config{Limits: limits}, limited(t, healthyNode{ready: true}, limits)).URL()
		ask(t, http.MethodGet, url+"/metrics", http.NoBody, header...).wantProblem(t, http.StatusForbidden, "permission_denied")
		if got := ask(t, http.MethodGet, url+"/v1/node/health", http.NoBody, header...); got.status != http.StatusOK {
			t.Errorf("%q: answered %d", header, got.status)
		}
		ask(t, http.MethodGet, url+"/v1/node/health", http.NoBody, header...).wantProblem(t, http.StatusTooManyRequests, "resource_exhausted")

		got := ask(t, http.MethodGet, url+"/v1/stream/messages", http.NoBody, append(header, "Accept", "text/event-stream")...)
		if got.status != http.StatusOK || !strings.HasPrefix(string(got.body), "retry: ") {
			t.Errorf("%q: an event stream beyond the rate limit answered %d %s", header, got.status, got.body)
		}
		if got := ask(t, http.MethodGet, url+"/metrics", http.NoBody); got.status != http.StatusOK {
			t.Errorf("/metrics answered %d to a client on this machine", got.status)
		}
	}
}

// TestRejections checks that requests that the server rejects get a problem document on REST paths.
// Rules: REST.
func TestRejections(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 5<<20)
	for _, test := range []struct {
		name, method, path string
		body               io.Reader
		status             int
		code, header, want string
	}{
		{"no such path", "GET", "/v1/nothing", http.NoBody, 404, "not_found", "Cache-Control", "no-store"},
		{"no file of the page", "GET", "/index.html", http.NoBody, 404, "not_found", "", ""},
		{"wrong method", "DELETE", "/v1/node/status", http.NoBody, 405, "method_not_allowed", "Allow", "GET, HEAD"},
		{"wrong method of a probe", "POST", "/healthz", http.NoBody, 405, "method_not_allowed", "Allow", "GET, HEAD"},
		{"empty segment", "GET", "/v1//node/status", http.NoBody, 404, "not_found", "Content-Type", "application/problem+json"},
		{"empty first segment", "GET", "//v1/node/status", http.NoBody, 404, "not_found", "Content-Type", "application/problem+json"},
		{"parent segment", "GET", "/v1/x/../node/status", http.NoBody, 404, "not_found", "Content-Type", "application/problem+json"},
		{"escaped parent segment", "GET", "/v1/x/%2e%2e/node/status", http.NoBody, 404, "not_found", "Content-Type", "application/problem+json"},
		{"large body", "POST", "/v1/messages", strings.NewReader(large), 413, "body_too_large", "", ""},
		{"large body of unknown size", "POST", "/v1/messages", io.MultiReader(strings.NewReader(large)), 413, "body_too_large", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url := start(t, serverConfig(), inProcess(t, healthyNode{})).URL()
			got := ask(t, test.method, url+test.path, test.body, "Content-Type", "application/json")
			got.wantProblem(t, test.status, test.code)
			if test.header != "" && got.header.Get(test.header) != test.want {
				t.Errorf("%s is %q, want %q", test.header, got.header.Get(test.header), test.want)
			}
			if got.header.Get("X-Request-ID") == "" {
				t.Error("the answer has no request id")
			}
		})
	}
}

// TestConnectGet checks that reads can be made with GET, directly and through a gateway of its own, and writes cannot.
// Rules: REST.
func TestConnectGet(t *testing.T) {
	t.Parallel()
	inNode := start(t, serverConfig(), inProcess(t, healthyNode{ready: true}))
	standalone := start(t, serverConfig(), dial(t, inNode.URL()))
	for _, url := range []string{inNode.URL(), standalone.URL()} {
		const query = "?connect=v1&encoding=json&message=%7B%7D"
		got := ask(t, http.MethodGet, url+makechainpbconnect.MakechainServiceGetHealthProcedure+query, http.NoBody)
		if got.status != http.StatusOK || !strings.Contains(string(got.body), `"ready":true`) {
			t.Errorf("a read with GET answered %d %s", got.status, got.body)
		}
		got = ask(t, http.MethodGet, url+makechainpbconnect.MakechainServiceSubmitMessageProcedure+query, http.NoBody)
		if got.status != http.StatusMethodNotAllowed {
			t.Errorf("a write with GET answered %d %s", got.status, got.body)
		}
	}
}

// TestTooManyRequests checks the Retry-After header of rate-limited requests.
// Rules: REST.
func TestTooManyRequests(t *testing.T) {
	t.Parallel()
	url := start(t, serverConfig(), limited(t, healthyNode{ready: true}, server.Limits{RequestsPerSecond: 0.001, Burst: 2})).URL()
	for range 2 {
		if got := ask(t, http.MethodGet, url+"/v1/node/health", http.NoBody, fromAfar...); got.status != http.StatusOK {
			t.Fatalf("answered %d %s", got.status, got.body)
		}
	}
	got := ask(t, http.MethodGet, url+"/v1/node/health", http.NoBody, fromAfar...)
	got.wantProblem(t, http.StatusTooManyRequests, "resource_exhausted")
	if waits := got.header.Values("Retry-After"); len(waits) != 1 || waits[0] != "1000" {
		t.Errorf("Retry-After is %q, want 1000", waits)
	}
	call := ask(t, http.MethodPost, url+"/makechain.MakechainService/GetHealth", strings.NewReader("{}"),
		append(fromAfar, "Content-Type", "application/json")...)
	if want := `{"code":"resource_exhausted",`; call.status != http.StatusTooManyRequests || !strings.HasPrefix(string(call.body), want) {
		t.Errorf("a call was refused with %d %s", call.status, call.body)
	}
}

// TestCompression checks that large responses are compressed, with a Vary header.
// Rules: REST.
func TestCompression(t *testing.T) {
	t.Parallel()
	url := start(t, serverConfig(), inProcess(t, healthyNode{})).URL()
	plain := ask(t, http.MethodGet, url+"/openapi.json", http.NoBody)
	packed := ask(t, http.MethodGet, url+"/openapi.json", http.NoBody, "Accept-Encoding", "gzip")
	if packed.header.Get("Content-Encoding") != "gzip" || !strings.Contains(strings.Join(packed.header.Values("Vary"), ","), "Accept-Encoding") {
		t.Fatalf("answered with %v", packed.header)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	if unpacked, err := io.ReadAll(reader); err != nil || !bytes.Equal(unpacked, plain.body) {
		t.Errorf("unpacked %d bytes, %v, want %d", len(unpacked), err, len(plain.body))
	}
}

// TestPreflight checks the preflight response for pages that post a message or resume a stream.
// Rules: REST.
func TestPreflight(t *testing.T) {
	t.Parallel()
	url := start(t, serverConfig(), inProcess(t, healthyNode{})).URL()
	for path, header := range map[string]string{"/v1/messages": "content-type", "/v1/stream/messages": "last-event-id"} {
		got := ask(t, http.MethodOptions, url+path, http.NoBody, "Origin", "https://page.example",
			"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", header)
		if got.status != http.StatusNoContent || got.header.Get("Access-Control-Allow-Origin") != "*" ||
			!strings.Contains(got.header.Get("Access-Control-Allow-Headers"), header) {
			t.Errorf("%s: answered %d %v", path, got.status, got.header)
		}
	}
}

// TestUpstreamDown checks the responses while the node is down, and that the gateway recovers when it is back.
// Rules: REST.
func TestUpstreamDown(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	n := nodetest.Start(t, home)
	address := n.GRPCAddr()
	url := start(t, serverConfig(), dial(t, address)).URL()
	client := protocols()[0].chain(t, url)
	isUp := func() bool {
		_, err := client.GetHealth(t.Context(), connect.NewRequest(&pb.GetHealthRequest{}))
		return err == nil && ask(t, http.MethodGet, url+"/readyz", http.NoBody).status == http.StatusOK &&
			ask(t, http.MethodGet, url+"/v1/node/status", http.NoBody).status == http.StatusOK
	}
	if !isUp() {
		t.Fatal("the gateway does not serve the node")
	}
	n.Stop(t)
	for _, path := range []string{"/readyz", "/v1/node/status", "/v1/blocks/latest"} {
		got := ask(t, http.MethodGet, url+path, http.NoBody)
		got.wantProblem(t, http.StatusServiceUnavailable, "unavailable")
		if got.header.Get("Retry-After") == "" {
			t.Errorf("%s does not say when to come back", path)
		}
	}
	for _, p := range protocols() {
		nodetest.MustFail(t, p.chain(t, url).GetHealth, &pb.GetHealthRequest{}, connect.CodeUnavailable)
		stream, err := p.chain(t, url).SubscribeBlocks(t.Context(), connect.NewRequest(&pb.SubscribeBlocksRequest{}))
		if err == nil && !stream.Receive() {
			err = stream.Err()
		}
		if connect.CodeOf(err) != connect.CodeUnavailable {
			t.Errorf("%s: a stream ended with %v", p.name, err)
		}
	}
	if got := ask(t, http.MethodGet, url+"/healthz", http.NoBody); got.status != http.StatusOK {
		t.Errorf("/healthz answered %d", got.status)
	}
	config := nodetest.Config(home, slog.New(slog.DiscardHandler))
	config.GRPC.Addr = address
	nodetest.StartWith(t, config)
	nodetest.Await(t, "the gateway to find the node again", isUp)
}

// TestSilentUpstream checks that readiness has a timeout of its own if the node accepts connections and does not respond.
func TestSilentUpstream(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	url := start(t, serverConfig(), dial(t, listener.Addr().String())).URL()
	ask(t, http.MethodGet, url+"/readyz", http.NoBody).wantProblem(t, http.StatusServiceUnavailable, "unavailable")
}

// overheard is a node that records the headers of calls.
type overheard struct {
	fake

	heard chan http.Header
}

func (n overheard) GetHealth(_ context.Context, req *connect.Request[pb.GetHealthRequest]) (*connect.Response[pb.GetHealthResponse], error) {
	n.heard <- req.Header()
	return connect.NewResponse(&pb.GetHealthResponse{}), nil
}

// TestForwarding checks that the node receives the client address that the gateway determined, and the request id.
func TestForwarding(t *testing.T) {
	t.Parallel()
	node := overheard{heard: make(chan http.Header, 1)}
	_, handler := makechainpbconnect.NewMakechainServiceHandler(node)
	remote := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols)}
	remote.Protocols.SetUnencryptedHTTP2(true)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = remote.Serve(listener) }() // it ends with an error, when it is closed
	t.Cleanup(func() { _ = remote.Close() })
	for _, test := range []struct {
		proxies []netip.Prefix
		want    string
	}{
		{serverConfig().TrustedProxies, "203.0.113.7"},
		{nil, "unknown"}, // the request was forwarded by a proxy that is not trusted, so the client is not on this machine
	} {
		g := start(t, server.Config{TrustedProxies: test.proxies}, dial(t, listener.Addr().String()))
		for _, request := range []struct{ method, path string }{
			{http.MethodGet, "/v1/node/health"}, {http.MethodPost, "/makechain.MakechainService/GetHealth"},
		} {
			got := ask(t, request.method, g.URL()+request.path, strings.NewReader("{}"),
				append(fromAfar, "Content-Type", "application/json", "X-Request-ID", "my-id", "Origin", "https://page.example")...)
			heard := <-node.heard
			if got.status != http.StatusOK || heard.Get("X-Forwarded-For") != test.want || heard.Get("X-Request-ID") != "my-id" {
				t.Errorf("%s: answered %d %s, the node heard %v", request.path, got.status, got.body, heard)
			}
			if origins := got.header.Values("Access-Control-Allow-Origin"); len(origins) != 1 {
				t.Errorf("%s: the answer allows the origins %q", request.path, origins)
			}
		}
		nodetest.Await(t, "the log of both requests", func() bool {
			return strings.Contains(g.log.String(), "GET /v1/node/health") &&
				strings.Contains(g.log.String(), fmt.Sprintf("route=%s status=200", "/makechain.MakechainService/GetHealth"))
		})
	}
}
