package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/capture"
	"makechain/internal/rest"
	"makechain/internal/server"
)

const problemType = "application/problem+json"

// gateway is a gateway under test. Every response is checked against the OpenAPI document.
type gateway struct {
	http.Handler

	document *document
	log      *capture.Buffer
}

func newGateway(t testing.TB, upstream *rest.Upstream, log *capture.Buffer) *gateway {
	t.Helper()
	built, err := rest.New(rest.Config{Upstream: upstream, Version: "test", Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := built.Close(); err != nil {
			t.Error(err)
		}
	})
	g := &gateway{Handler: built.Handler(), log: log}
	g.document = parseDocument(t, g.send(http.MethodGet, "/openapi.json", nil, nil).Body.Bytes())
	return g
}

// newRemoteGateway returns a gateway that calls a node through a client.
func newRemoteGateway(t testing.TB, client makechainpbconnect.MakechainServiceClient) *gateway {
	t.Helper()
	return newGateway(t, rest.Remote(client, time.Minute, server.ReserveResponse), &capture.Buffer{})
}

// newLocalGateway returns a gateway that calls an implementation of the service directly.
func newLocalGateway(t testing.TB, service makechainpbconnect.MakechainServiceHandler) *gateway {
	t.Helper()
	log := &capture.Buffer{}
	caller, err := server.New(server.Config{Addr: "127.0.0.1:0", Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = caller.Close() })
	return newGateway(t, rest.Local(withoutBlocks{service}, caller), log)
}

// withoutBlocks is a service that has no blocks to stream.
type withoutBlocks struct {
	makechainpbconnect.MakechainServiceHandler
}

func (withoutBlocks) StreamBlocks(context.Context, *uint64, func() error, func(*pb.GetBlockResponse) error) error {
	return connect.NewError(connect.CodeUnimplemented, errors.New("no blocks"))
}

func (g *gateway) send(method, url string, body io.Reader, header http.Header) *httptest.ResponseRecorder {
	request := httptest.NewRequestWithContext(context.Background(), method, url, body)
	maps.Copy(request.Header, header)
	recorder := httptest.NewRecorder()
	g.ServeHTTP(recorder, request)
	return recorder
}

// answer is a response of the gateway.
type answer struct {
	*httptest.ResponseRecorder

	value any // of the body, as JSON
}

// do sends a request and checks the response against the OpenAPI document.
func (g *gateway) do(t testing.TB, method, url string, body []byte, header http.Header) *answer {
	t.Helper()
	got := &answer{ResponseRecorder: g.send(method, url, bytes.NewReader(body), header)}
	if err := json.Unmarshal(got.Body.Bytes(), &got.value); err != nil {
		t.Fatalf("%s %s: %d %s: %v", method, url, got.Code, got.Body, err)
	}
	path, _, _ := strings.Cut(url, "?")
	mediaType := got.Header().Get("Content-Type")
	schema := jsonSchema{"$ref": "#/components/schemas/Problem"}
	if op := g.document.find(method, path); op != nil {
		promised := strconv.Itoa(got.Code)
		if got.Code >= http.StatusInternalServerError && op.Responses[promised].Content == nil {
			promised = "default"
		}
		schema = op.Responses[promised].Content[mediaType].Schema
		g.checkHeaders(t, op, promised, got.Header())
	}
	if schema == nil {
		t.Fatalf("%s %s: the document does not know of %d with %s: %s", method, url, got.Code, mediaType, got.Body)
	}
	for _, wrong := range g.document.check(schema, "answer", got.value) {
		t.Errorf("%s %s: %s", method, url, wrong)
	}
	return got
}

// checkHeaders checks the headers of a response against the OpenAPI document.
func (g *gateway) checkHeaders(t testing.TB, op *operation, status string, header http.Header) {
	t.Helper()
	for name := range header {
		if name == "Content-Type" {
			continue
		}
		if _, listed := op.Responses[status].Headers[name]; !listed {
			t.Errorf("%s: the document does not know of the header %s with %s", op.ID, name, status)
		}
		for _, wrong := range g.document.check(g.document.Components.Headers[name].Schema, name, header.Get(name)) {
			t.Errorf("%s: %s", op.ID, wrong)
		}
	}
}

func (g *gateway) get(t testing.TB, url string) *answer {
	t.Helper()
	return g.do(t, http.MethodGet, url, nil, nil)
}

func (g *gateway) post(t testing.TB, url string, body []byte) *answer {
	t.Helper()
	return g.do(t, http.MethodPost, url, body, http.Header{"Content-Type": {"application/json"}})
}

// at returns a value of the response by its path.
func (a *answer) at(keys ...string) any {
	value := a.value
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// wantProblem checks that a response is a problem document.
func (a *answer) wantProblem(t testing.TB, status int, code string) {
	t.Helper()
	if a.Code != status || a.at("code") != code || a.at("status") != float64(status) || a.Header().Get("Content-Type") != problemType {
		t.Errorf("%d %s %s, want a problem %d %s", a.Code, a.Header().Get("Content-Type"), a.Body, status, code)
	}
	if a.at("type") != "/reference#"+code || a.at("title") == "" || a.at("detail") == "" {
		t.Errorf("incomplete problem: %s", a.Body)
	}
	if caching := a.Header().Get("Cache-Control"); caching != "no-store" {
		t.Errorf("a problem may be cached: %q", caching)
	}
}

// wantFieldError checks that a problem has an error at a location.
func (a *answer) wantFieldError(t testing.TB, location string) {
	t.Helper()
	errs, _ := a.at("errors").([]any)
	for _, item := range errs {
		if at, _ := item.(map[string]any); at["location"] == location && at["message"] != "" {
			return
		}
	}
	t.Errorf("no error at %q: %s", location, a.Body)
}
