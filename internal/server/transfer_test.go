package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"
)

// TestTransfer checks that a body may be larger than those of other mounts.
func TestTransfer(t *testing.T) {
	t.Parallel()
	const limit = 1 << 10
	r := start(t, Config{Limits: Limits{MaxRequestBytes: limit}}, &services{},
		Transfer("/files/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			_, _ = fmt.Fprint(w, n, err)
		})))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, r.url+"/files/a", strings.NewReader(strings.Repeat("x", 64*limit)))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if body := readAll(t, response); body != "65536 <nil>" {
		t.Errorf("the handler read %s, want 65536 bytes", body)
	}
}

// TestTransferRate checks that a client that stops sending or accepting data does not hold the handler.
func TestTransferRate(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	r := start(t, Config{Limits: Limits{ReadTimeout: 50 * time.Millisecond, WriteTimeout: 50 * time.Millisecond}}, &services{},
		Transfer("/files/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			for err == nil {
				_, err = w.Write(make([]byte, 64<<10))
			}
			failed <- err
		})))
	for name, text := range map[string]string{
		"a body that stops":         "PUT /files/a HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc",
		"a chunked body":            "PUT /files/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
		"a response that is unread": "GET /files/a HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(connection, text); err != nil {
			t.Fatal(err)
		}
		if err := await(t, failed, name); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s ends with %v, want a deadline", name, err)
		}
		_ = connection.Close()
	}
}

// TestConfidential checks which requests cannot be read on the network.
func TestConfidential(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for name, test := range map[string]struct {
		peer   string
		tls    bool
		header map[string]string
		want   bool
	}{
		"loopback":                       {peer: "127.0.0.1:1", want: true},
		"plain text":                     {peer: "192.0.2.1:1"},
		"TLS":                            {peer: "192.0.2.1:1", tls: true, want: true},
		"claims to be encrypted":         {peer: "192.0.2.1:1", header: map[string]string{"X-Forwarded-Proto": "https"}},
		"forwarded from this machine":    {peer: "127.0.0.1:1", header: map[string]string{"X-Forwarded-For": "192.0.2.1"}},
		"encrypted to a trusted proxy":   {peer: "10.1.1.1:1", header: map[string]string{"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}, want: true},
		"plain text to a trusted proxy":  {peer: "10.1.1.1:1", header: map[string]string{"X-Forwarded-For": "192.0.2.1"}},
		"trusted proxy without a header": {peer: "10.1.1.1:1"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.RemoteAddr = test.peer
		if test.tls {
			request.TLS = &tls.ConnectionState{}
		}
		for key, value := range test.header {
			request.Header.Set(key, value)
		}
		s := &stack{config: Config{TrustedProxies: proxies}, accounts: NewAccounts(Limits{RequestsPerSecond: -1}, time.Now)}
		var got bool
		s.withClient(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = IsConfidential(r.Context()) })).ServeHTTP(nil, request)
		if got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
