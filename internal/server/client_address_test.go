package server

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

// TestClientAddress checks that X-Forwarded-For is used only behind trusted proxies.
func TestClientAddress(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for _, test := range []struct {
		name      string
		proxies   []netip.Prefix
		peer      string
		forwarded []string
		want      string
	}{
		{"no proxy", proxies, "203.0.113.7:1234", nil, "203.0.113.7"},
		{"untrusted proxy", nil, "10.0.0.1:1234", []string{"203.0.113.7"}, "10.0.0.1"},
		{"header forged by the client", proxies, "203.0.113.7:1234", []string{"198.51.100.1"}, "203.0.113.7"},
		{"one proxy", proxies, "10.0.0.1:1234", []string{"203.0.113.7"}, "203.0.113.7"},
		{"one IPv6 proxy", proxies, "[fd00::1]:1234", []string{"2001:db8::7"}, "2001:db8::7"},
		{"entry forged before a proxy", proxies, "10.0.0.1:1234", []string{"198.51.100.1, 203.0.113.7"}, "203.0.113.7"},
		{"two proxies", proxies, "10.0.0.1:1234", []string{"203.0.113.7, 10.0.0.2"}, "203.0.113.7"},
		{"two headers", proxies, "10.0.0.1:1234", []string{"203.0.113.7", "10.0.0.2"}, "203.0.113.7"},
		{"proxy without header", proxies, "10.0.0.1:1234", nil, "10.0.0.1"},
		{"invalid entry", proxies, "10.0.0.1:1234", []string{"203.0.113.7, unknown"}, "10.0.0.1"},
		{"IPv4-mapped address", proxies, "[::ffff:203.0.113.7]:1234", nil, "203.0.113.7"},
		{"no address", proxies, "@", []string{"203.0.113.7"}, "invalid IP"},
		{"entry with a port", proxies, "10.0.0.1:1234", []string{"203.0.113.7:4711"}, "203.0.113.7"},
		{"entry in brackets", proxies, "10.0.0.1:1234", []string{"[2001:db8::7]"}, "2001:db8::7"},
		{"entry in brackets with a port", proxies, "10.0.0.1:1234", []string{`"[2001:db8::7]:4711"`}, "2001:db8::7"},
		{"local client", proxies, "127.0.0.1:1234", nil, "127.0.0.1"},
		{"local proxy that is not declared", proxies, "127.0.0.1:1234", []string{"203.0.113.7"}, "invalid IP"},
		{"local proxy that is not declared, forged entry", proxies, "[::1]:1234", []string{"127.0.0.1"}, "invalid IP"},
		{"local proxy that is not declared, empty entry", proxies, "[::1]:1234", []string{""}, "invalid IP"},
		{"local proxy", local, "127.0.0.1:1234", []string{"203.0.113.7:80"}, "203.0.113.7"},
		{"local client of a local proxy", local, "127.0.0.1:1234", []string{"127.0.0.1"}, "127.0.0.1"},
		{"invalid entry of a local proxy", local, "127.0.0.1:1234", []string{"unknown"}, "invalid IP"},
		{"loopback entry of a remote proxy", proxies, "10.0.0.1:1234", []string{"127.0.0.1"}, "invalid IP"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
			request.RemoteAddr = test.peer
			request.Header["X-Forwarded-For"] = test.forwarded
			if got := clientAddress(test.proxies, request).String(); got != test.want {
				t.Errorf("the client is %s, want %s", got, test.want)
			}
		})
	}
}

// TestForwardedHeader checks that a request with a Forwarded header, which is not used, is not local.
func TestForwardedHeader(t *testing.T) {
	t.Parallel()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	request.RemoteAddr = "127.0.0.1:1234"
	request.Header.Set("Forwarded", "for=203.0.113.7")
	if got := clientAddress(nil, request); got.IsValid() {
		t.Errorf("the client is %s, want no valid address", got)
	}
}
