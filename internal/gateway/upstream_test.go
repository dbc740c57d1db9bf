package gateway

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestParseTarget takes a host and a port, and says what else is wrong.
func TestParseTarget(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ target, want, fault string }{
		{"localhost:50051", "http://localhost:50051", ""},
		{"http://[::1]:50051", "http://[::1]:50051", ""},
		{"https://node.example", "https://node.example", ""},
		{"https://node.example:8443/", "https://node.example:8443", ""},
		{"", "", "no host"},
		{"localhost", "", "no port"},
		{":50051", "", "no host"},
		{"ftp://node.example:1", "", "neither http nor https"},
		{"http://node.example:1/path", "", "more to it"},
		{"http://me:secret@node.example:1", "", "more to it"},
		{"http://node.example:port", "", "invalid port"},
	} {
		got, err := parseTarget(test.target)
		switch {
		case test.fault == "" && (err != nil || got.String() != test.want):
			t.Errorf("%q is %v, %v, want %s", test.target, got, err, test.want)
		case test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)):
			t.Errorf("%q is %v, %v, want a fault with %q", test.target, got, err, test.fault)
		}
	}
	if _, err := Dial("ftp://node.example", nil); err == nil {
		t.Error("a node was dialled by FTP")
	}
}

// TestTransportWithTLS speaks HTTP/2 to a node with a certificate.
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
		t.Errorf("the node was asked by %q, %v", body, err)
	}
}
