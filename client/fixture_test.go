package client_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"makechain/gen/makechain/makechainpbconnect"
)

// late is how far the clock of such a service is behind.
const late = 10 * time.Minute

// serve puts a service of the test's own behind a port, over which a client speaks gRPC. It gives its address.
func serve(t *testing.T, service makechainpbconnect.MakechainServiceHandler) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(makechainpbconnect.NewMakechainServiceHandler(service))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(-late).UTC().Format(http.TimeFormat))
		mux.ServeHTTP(w, r)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}
