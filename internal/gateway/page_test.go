package gateway_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"makechain/internal/node/nodetest"
	"makechain/internal/server"
)

// TestPage loads the web page and everything that its files name, from a node.
// Rules: REST.
func TestPage(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	url := n.RESTURL()
	loaded := []string{"/"}
	for i := 0; i < len(loaded); i++ {
		got := ask(t, http.MethodGet, url+loaded[i], http.NoBody)
		wantPage(t, loaded[i], got)
		for _, named := range regexp.MustCompile(`(?:src=|href=|import\(?|from)"(?:\./)?([\w-]+\.\w+)"`).FindAllStringSubmatch(string(got.body), -1) {
			if path := "/" + named[1]; !slices.Contains(loaded, path) {
				loaded = append(loaded, path)
			}
		}
	}
	for _, path := range []string{"/app.js", "/styles.css", "/icon.svg"} {
		if !slices.Contains(loaded, path) {
			t.Errorf("%s is not part of %q", path, loaded)
		}
	}
	for _, path := range loaded {
		if path != "/page.json" { // which is not a file
			wantVariants(t, url+path)
		}
	}
	host := strings.TrimPrefix(url, "http://")
	described := ask(t, http.MethodGet, url+"/page.json", http.NoBody)
	wantPage(t, "/page.json", described)
	if want := `{"served_by":"node","node":"` + host + `","content_host":"` + host + `","trust":null}` + "\n"; string(described.body) != want {
		t.Errorf("described as %s, want %s", described.body, want)
	}
}

// TestPagePaths checks that the gateway serves exactly the files of the page, and that other paths stay with REST.
// Rules: REST.
func TestPagePaths(t *testing.T) {
	t.Parallel()
	url := start(t, serverConfig(), inProcess(t, healthyNode{ready: true})).URL()
	for _, path := range []string{
		"/index.html", "/dist/app.js", "/app.js/", "//app.js", "/./app.js", "/..%2fweb.go", "/%2e%2e/web.go", "/app.js%00", "/App.js", "/web.go", "/dist/",
		"/account/alice", "/v2",
	} {
		ask(t, http.MethodGet, url+path, http.NoBody).wantProblem(t, http.StatusNotFound, "not_found")
	}
	for _, path := range []string{"/", "/app.js", "/page.json"} {
		got := ask(t, http.MethodPost, url+path, strings.NewReader("{}"))
		got.wantProblem(t, http.StatusMethodNotAllowed, "method_not_allowed")
		if got.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s allows %q", path, got.header.Get("Allow"))
		}
	}
	if got := ask(t, http.MethodGet, url+"/page.json", http.NoBody); !strings.HasPrefix(string(got.body), `{"served_by":"gateway",`) {
		t.Errorf("described as %s", got.body)
	}
	if got := ask(t, http.MethodGet, url+"/healthz", http.NoBody); got.status != http.StatusOK || got.header.Get("Cross-Origin-Opener-Policy") != "" {
		t.Errorf("/healthz answered %d %v", got.status, got.header)
	}
}

// wantPage checks the security headers of a response of the page.
func wantPage(t *testing.T, path string, got answer) {
	t.Helper()
	if got.status != http.StatusOK {
		t.Fatalf("%s answered %d %s", path, got.status, got.body)
	}
	policy := got.header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self';", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("%s: policy %q has no %q", path, policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("%s: policy %q", path, policy)
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %s is %q", path, name, got.header.Get(name))
		}
	}
}

// wantVariants checks the compressed response of a file, HEAD, and that an unchanged file is not sent again.
func wantVariants(t *testing.T, url string) {
	t.Helper()
	plain := ask(t, http.MethodGet, url, http.NoBody)
	if plain.header.Get("Cache-Control") != "no-cache" || plain.header.Get("Content-Encoding") != "" {
		t.Errorf("%s: %v", url, plain.header)
	}
	head := ask(t, http.MethodHead, url, http.NoBody)
	if len(head.body) != 0 || head.header.Get("Content-Length") != plain.header.Get("Content-Length") || head.header.Get("ETag") != plain.header.Get("ETag") {
		t.Errorf("HEAD %s: %v, want %v", url, head.header, plain.header)
	}
	refused := ask(t, http.MethodGet, url, http.NoBody, "Accept-Encoding", "br, gzip;q=0")
	if refused.header.Get("Content-Encoding") != "" || !bytes.Equal(refused.body, plain.body) {
		t.Errorf("%s is compressed for a client that refuses it", url)
	}
	small := ask(t, http.MethodGet, url, http.NoBody, "Accept-Encoding", "gzip, deflate, br, zstd")
	if small.header.Get("Content-Encoding") == "gzip" {
		reader, err := gzip.NewReader(bytes.NewReader(small.body))
		if err != nil {
			t.Fatal(err)
		}
		if small.body, err = io.ReadAll(reader); err != nil {
			t.Fatal(err)
		}
		if small.header.Get("ETag") == plain.header.Get("ETag") {
			t.Errorf("%s has the same ETag for other bytes", url)
		}
	}
	if !bytes.Equal(small.body, plain.body) || !slices.Contains(small.header.Values("Vary"), "Accept-Encoding") {
		t.Errorf("%s differs when it is compressed: %v", url, small.header)
	}
	for _, tag := range []string{small.header.Get("ETag"), `"other", W/` + small.header.Get("ETag"), "*"} {
		again := ask(t, http.MethodGet, url, http.NoBody, "Accept-Encoding", "gzip", "If-None-Match", tag)
		if again.status != http.StatusNotModified || len(again.body) != 0 {
			t.Errorf("%s with %s answered %d with %d bytes", url, tag, again.status, len(again.body))
		}
	}
	if changed := ask(t, http.MethodGet, url, http.NoBody, "If-None-Match", `"0"`); changed.status != http.StatusOK {
		t.Errorf("%s with another tag answered %d", url, changed.status)
	}
}

// TestContentThroughGateway checks that a gateway passes requests to the content service on, and that nothing that a node
// returns can act in the origin of the gateway: no cookies, redirects or pages.
func TestContentThroughGateway(t *testing.T) {
	t.Parallel()
	seen := make(chan *http.Request, 1)
	node := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r
		if r.URL.Path == "/git/redirect" {
			http.Redirect(w, r, "https://evil.example/", http.StatusFound)
			return
		}
		header := w.Header()
		header.Set("Content-Type", "text/html")
		header.Set("Set-Cookie", "a=b")
		header.Set("Service-Worker-Allowed", "/")
		header.Set("Clear-Site-Data", `"*"`)
		header.Set("Refresh", "0; url=https://evil.example/")
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Content-Security-Policy", "script-src *")
		header.Set("Makechain-Object-Type", "blob")
		_, _ = io.WriteString(w, "<script>alert(1)</script>")
	}))
	node.Config.Protocols = new(http.Protocols)
	node.Config.Protocols.SetUnencryptedHTTP2(true)
	node.Start()
	t.Cleanup(node.Close)
	address := strings.TrimPrefix(node.URL, "http://")
	url := start(t, server.Config{}, dial(t, address)).URL()
	for _, path := range []string{"/v1/content", "/v1/content/a/b", "/git/alice/hello/info/refs?service=git-upload-pack"} {
		got := ask(t, http.MethodGet, url+path, http.NoBody, "Cookie", "secret=1", "Referer", url+"/", "Connection", "Upgrade", "Upgrade", "websocket",
			"Authorization", "Makechain a b c")
		received := <-seen
		if got.status != http.StatusOK || got.header.Get("Makechain-Object-Type") != "blob" {
			t.Errorf("%s answered %d %v", path, got.status, got.header)
		}
		for _, name := range []string{"Set-Cookie", "Service-Worker-Allowed", "Clear-Site-Data", "Refresh", "Access-Control-Allow-Origin"} {
			if value := got.header.Get(name); value != "" {
				t.Errorf("%s passes %s: %s on", path, name, value)
			}
		}
		policy, sniff := got.header.Values("Content-Security-Policy"), got.header.Get("X-Content-Type-Options")
		if len(policy) != 1 || policy[0] != "default-src 'none'; sandbox" || sniff != "nosniff" {
			t.Errorf("%s has the policy %q, %q", path, policy, sniff)
		}
		if received.Host != address || received.Header.Get("Cookie") != "" || received.Header.Get("Referer") != "" || received.Header.Get("Upgrade") != "" ||
			received.Header.Get("Authorization") == "" || received.URL.RequestURI() != path {
			t.Errorf("the node received %s %s: %v", received.Host, received.URL, received.Header)
		}
	}
	refused := ask(t, http.MethodGet, url+"/git/redirect", http.NoBody)
	<-seen
	refused.wantProblem(t, http.StatusServiceUnavailable, "unavailable")
	if got := ask(t, http.MethodGet, url+"/page.json", http.NoBody); !strings.Contains(string(got.body), `"content_host":"`+address+`"`) {
		t.Errorf("described as %s", got.body)
	}
	node.Close()
	ask(t, http.MethodGet, url+"/v1/content", http.NoBody).wantProblem(t, http.StatusServiceUnavailable, "unavailable")
}
