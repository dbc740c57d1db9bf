package gateway

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestDial checks that an address that is not a node's is refused.
func TestDial(t *testing.T) {
	t.Parallel()
	if _, err := Dial("ftp://node.example", nil); err == nil {
		t.Error("Dial accepted an ftp URL")
	}
}

// TestTransportWithTLS checks that a node with a certificate is called over HTTP/2.
func TestTransportWithTLS(t *testing.T) {
	t.Parallel()
	node := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
	node.EnableHTTP2 = true
	node.StartTLS()
	t.Cleanup(node.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(node.Certificate())
	transport := newTransport(true)
	transport.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	t.Cleanup(transport.CloseIdleConnections)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, node.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != "HTTP/2.0" {
		t.Errorf("the node was called by %q, %v", body, err)
	}
}
