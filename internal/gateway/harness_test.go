package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/capture"
	"makechain/internal/gateway"
	"makechain/internal/server"
)

// running is a gateway that runs until the end of a test.
type running struct {
	*gateway.Gateway

	log  *capture.Buffer
	done chan error
}

func start(t *testing.T, config server.Config, upstream *gateway.Upstream) *running {
	t.Helper()
	r := &running{log: &capture.Buffer{}, done: make(chan error, 1)}
	registry := prometheus.NewRegistry()
	config.Addr, config.Registerer = "127.0.0.1:0", registry
	config.Log = slog.New(slog.NewTextHandler(r.log, nil))
	var err error
	if r.Gateway, err = gateway.New(gateway.Config{Server: config, Upstream: upstream, Gatherer: registry, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() { r.done <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-r.done; err != nil {
			t.Error(err)
		}
	})
	return r
}

func dial(t *testing.T, target string) *gateway.Upstream {
	t.Helper()
	upstream, err := gateway.Dial(target, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return upstream
}

// fake is a node that implements no method; tests embed it.
type fake struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler
	devpbconnect.UnimplementedFaucetServiceHandler
}

// inProcess returns an upstream for an implementation of the service in this process.
func inProcess(t *testing.T, implementation makechainpbconnect.MakechainServiceHandler) *gateway.Upstream {
	t.Helper()
	return limited(t, implementation, server.Limits{})
}

// limited returns an upstream for an implementation of the service in this process, with limits of its clients.
func limited(t *testing.T, implementation makechainpbconnect.MakechainServiceHandler, limits server.Limits) *gateway.Upstream {
	t.Helper()
	s, err := server.New(server.Config{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Limits: limits},
		server.Service(makechainpbconnect.NewMakechainServiceHandler, implementation))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return gateway.InProcess(withoutBlocks{implementation}, s)
}

// withoutBlocks is a service that has no blocks to stream to REST clients.
type withoutBlocks struct {
	makechainpbconnect.MakechainServiceHandler
}

func (withoutBlocks) StreamBlocks(context.Context, *uint64, func() error, func(*pb.GetBlockResponse) error) error {
	return connect.NewError(connect.CodeUnimplemented, errors.New("no blocks"))
}

// protocol is an RPC protocol with an HTTP version.
type protocol struct {
	name    string
	http2   bool
	options []connect.ClientOption
}

func protocols() []protocol {
	return []protocol{
		{"gRPC", true, []connect.ClientOption{connect.WithGRPC()}},
		{"gRPC with gzip", true, []connect.ClientOption{connect.WithGRPC(), connect.WithSendGzip()}},
		{"gRPC-web over HTTP/1.1", false, []connect.ClientOption{connect.WithGRPCWeb()}},
		{"gRPC-web over HTTP/2", true, []connect.ClientOption{connect.WithGRPCWeb()}},
		{"Connect over HTTP/1.1", false, nil},
		{"Connect over HTTP/2", true, nil},
		{"Connect with GET", false, []connect.ClientOption{connect.WithHTTPGet()}},
		{"Connect with JSON", false, []connect.ClientOption{connect.WithProtoJSON()}},
	}
}

// client returns an HTTP client for one version of HTTP in plain text.
func (p protocol) client(t *testing.T) *http.Client {
	t.Helper()
	var versions http.Protocols
	versions.SetHTTP1(!p.http2)
	versions.SetUnencryptedHTTP2(p.http2)
	transport := &http.Transport{Protocols: &versions, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func (p protocol) chain(t *testing.T, url string) makechainpbconnect.MakechainServiceClient {
	t.Helper()
	return makechainpbconnect.NewMakechainServiceClient(p.client(t), url, p.options...)
}

func (p protocol) faucet(t *testing.T, url string) devpbconnect.FaucetServiceClient {
	t.Helper()
	return devpbconnect.NewFaucetServiceClient(p.client(t), url, p.options...)
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request with headers given as pairs.
func ask(t *testing.T, method, url string, body io.Reader, headers ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	response, err := protocols()[2].client(t).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, read}
}

// wantProblem checks that a response is a complete problem document, and returns its detail.
func (a answer) wantProblem(t *testing.T, status int, code string) string {
	t.Helper()
	var problem struct {
		Type, Title, Detail, Code *string
		Status                    *int
		Errors                    *[]any
	}
	if err := json.Unmarshal(a.body, &problem); err != nil {
		t.Fatalf("%d %q is not a problem: %v", a.status, a.body, err)
	}
	whole := problem.Type != nil && problem.Title != nil && problem.Detail != nil && problem.Errors != nil
	if !whole || a.status != status || *problem.Status != status || *problem.Code != code || a.header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("answered %d %s, want %d %s", a.status, a.body, status, code)
	}
	return *problem.Detail
}
