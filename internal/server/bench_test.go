package server

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"connectrpc.com/connect"

	"makechain/gen/makechain/dev/devpbconnect"
)

// BenchmarkUnary compares a call through the server's middleware with one through Connect only.
func BenchmarkUnary(b *testing.B) {
	full, err := New(Config{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)},
		Service[devpbconnect.FaucetServiceHandler](devpbconnect.NewFaucetServiceHandler, &services{}))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = full.Close() })
	_, bare := devpbconnect.NewFaucetServiceHandler(&services{})
	for name, handler := range map[string]http.Handler{"server": full.Handler(), "connect only": bare} {
		b.Run(name, func(b *testing.B) {
			var versions http.Protocols
			versions.SetUnencryptedHTTP2(true)
			server := httptest.NewUnstartedServer(handler)
			server.Config.Protocols = &versions
			server.Start()
			b.Cleanup(server.Close)
			transport := &http.Transport{Protocols: &versions}
			b.Cleanup(transport.CloseIdleConnections)
			client := devpbconnect.NewFaucetServiceClient(&http.Client{Transport: transport}, server.URL, connect.WithGRPC())
			b.ReportAllocs()
			b.RunParallel(func(loop *testing.PB) {
				for loop.Next() {
					if _, err := client.Claim(b.Context(), newClaim()); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
