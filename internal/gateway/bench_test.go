package gateway_test

import (
	"io"
	"log/slog"
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"makechain/internal/gateway"
	"makechain/internal/node/nodetest"
	"makechain/internal/server"
)

// BenchmarkRequests asks for the status of a node over connections that are kept: through its own gateway, and through
// one in front of it.
func BenchmarkRequests(b *testing.B) {
	n := nodetest.Start(b, b.TempDir())
	upstream, err := gateway.Dial(n.GRPCAddr(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	alone, err := gateway.New(gateway.Config{
		Server:   server.Config{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)},
		Upstream: upstream, Gatherer: prometheus.NewRegistry(),
	})
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = alone.Run(b.Context()) }()
	b.Cleanup(func() { _ = alone.Close() })
	b.Run("in the node", func(b *testing.B) { benchmarkURL(b, n.RESTURL()+"/v1/node/status") })
	b.Run("alone", func(b *testing.B) { benchmarkURL(b, alone.URL()+"/v1/node/status") })
}

func benchmarkURL(b *testing.B, url string) {
	b.Helper()
	const clients = 16
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	b.Cleanup(transport.CloseIdleConnections)
	b.SetParallelism(clients / 2)
	b.RunParallel(func(loop *testing.PB) {
		for loop.Next() {
			if err := fetch(b, transport, url); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

func fetch(b *testing.B, transport http.RoundTripper, url string) error {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
