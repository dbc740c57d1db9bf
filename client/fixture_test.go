package client_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"makechain/gen/makechain/makechainpbconnect"
)

// serverDelay is how far the clock of the server is behind.
const serverDelay = 10 * time.Minute

// serve serves a fake service over gRPC and returns its address.
func serve(t *testing.T, service makechainpbconnect.MakechainServiceHandler) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(makechainpbconnect.NewMakechainServiceHandler(service))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(-serverDelay).UTC().Format(http.TimeFormat))
		mux.ServeHTTP(w, r)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}
