package gateway_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	pb "makechain/gen/makechain"
	"makechain/internal/gateway"
	"makechain/internal/jsonform"
	"makechain/internal/node/nodetest"
	"makechain/internal/server"
	"makechain/message"
)

// BenchmarkREST measures REST requests over a kept connection, answered by the gateway in a node and by a standalone one
// in front of it: reading a project and dry-running a signed message. The allocations include those of the client.
func BenchmarkREST(b *testing.B) {
	n := nodetest.Start(b, b.TempDir())
	author := nodetest.NewAccount(b)
	n.Register(author, 1, "author")
	project := author.Sign(message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	n.Submit(b, project)
	n.MustCommit(b, project)
	unsent, err := jsonform.Marshal(author.Sign(message.ProjectCreate("other", pb.Visibility_VISIBILITY_PUBLIC, "", "")).Proto())
	if err != nil {
		b.Fatal(err)
	}
	for _, gateway := range []struct{ name, url string }{{"in the node", n.RESTURL()}, {"standalone", startStandalone(b, n.GRPCAddr())}} {
		for _, request := range []struct {
			name, method, path string
			body               []byte
		}{
			{"read", http.MethodGet, "/v1/projects/" + project.Hash.String(), nil},
			{"dry run", http.MethodPost, "/v1/messages/dry-run", unsent},
		} {
			b.Run(gateway.name+"/"+request.name, func(b *testing.B) {
				b.ReportAllocs()
				transport := &http.Transport{}
				b.Cleanup(transport.CloseIdleConnections)
				for b.Loop() {
					fetch(b, transport, request.method, gateway.url+request.path, request.body)
				}
			})
		}
	}
}

// startStandalone runs a gateway in front of the node at an address and returns its URL.
func startStandalone(b *testing.B, node string) string {
	b.Helper()
	upstream, err := gateway.Dial(node, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	standalone, err := gateway.New(gateway.Config{
		Server:   server.Config{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)},
		Upstream: upstream, Gatherer: prometheus.NewRegistry(),
	})
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = standalone.Run(b.Context()) }()
	b.Cleanup(func() { _ = standalone.Close() })
	return standalone.URL()
}

func fetch(b *testing.B, transport http.RoundTripper, method, url string, body []byte) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("%s %s: %d %s: %v", method, url, response.StatusCode, answer, err)
	}
}
