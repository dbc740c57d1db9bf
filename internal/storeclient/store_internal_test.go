package storeclient

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"makechain/internal/ident"
)

const testChain = "makechain-test"

func direct(*http.Request) (*url.URL, error) { return nil, nil } //nolint:nilnil // no proxy, as http.Transport defines it

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// get downloads a git bundle from a static store.
func get(t *testing.T, location string, digest ident.Hash, limit int64) ([]byte, error) {
	t.Helper()
	store, err := NewClient(testChain, direct, time.Minute).Open(t.Context(), location, Anywhere)
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	err = store.Get(t.Context(), ident.Hash{}, digest, false, &content, limit)
	return content.Bytes(), err
}

// TestKinds checks the order in which the kind of a store is found out, and that services of other chains and git servers without
// protocol version 2 are refused.
func TestKinds(t *testing.T) {
	t.Parallel()
	const advertisement = "application/x-git-upload-pack-advertisement"
	repository := t.TempDir()
	if err := os.Mkdir(filepath.Join(repository, "objects"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		service, contentType, refs string
		kind                       Kind
		canFilter                  bool
		reason                     string
	}{
		"service":                    {service: `{"content":1,"chain_id":"` + testChain + `"}`, contentType: advertisement, refs: "version 2\n", kind: Service, canFilter: true},
		"service of another chain":   {service: `{"content":1,"chain_id":"other"}`, reason: `of the chain "other"`},
		"something with that path":   {service: `{"content":2}`, contentType: advertisement, refs: "000eversion 2\n0015fetch=shallow\n0000", kind: Repository},
		"repository":                 {contentType: advertisement, refs: "000eversion 2\n001cfetch=shallow filter\n0000", kind: Repository, canFilter: true},
		"repository without version": {contentType: advertisement, refs: "001e# service=git-upload-pack\n", reason: "protocol version 2"},
		"files":                      {contentType: "text/plain", refs: "version 2\n", kind: Static},
		"nothing":                    {kind: Static},
		"endless description":        {service: strings.Repeat(" ", maxDescription) + `{"content":1,"chain_id":"other"}`, kind: Static},
	} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/base/v1/content" && c.service != "":
				_, _ = io.WriteString(w, c.service)
			case r.URL.Path == "/base/info/refs" && c.refs != "":
				w.Header().Set("Content-Type", c.contentType)
				_, _ = io.WriteString(w, c.refs)
			default:
				http.NotFound(w, r)
			}
		})
		store, err := NewClient(testChain, direct, time.Minute).Open(t.Context(), server.URL+"/base/?query#fragment", Anywhere)
		switch {
		case c.reason != "":
			if err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil || store.Kind != c.kind || store.CanFilter != c.canFilter || store.Name != server.URL+"/base":
			t.Errorf("%s: %+v, %v", name, store, err)
		}
	}
	for path, kind := range map[string]Kind{t.TempDir(): Directory, repository: LocalRepository} {
		client := NewClient(testChain, direct, time.Minute)
		if store, err := client.Open(t.Context(), "file://"+path, Anywhere); err != nil || store.Kind != kind {
			t.Errorf("%s: %+v, %v", path, store, err)
		}
		for _, location := range []string{path, "file://" + path, "ext::evil", "http:evil", ""} {
			if _, err := client.Open(t.Context(), location, PublicOnly); err == nil {
				t.Errorf("%q on the chain was opened", location)
			}
		}
	}
}

// TestGet downloads from static stores that return something else than the bytes of the digest.
func TestGet(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("a git bundle "), 1000)
	digest := ident.Hash(blake3.Sum256(content))
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	_, _ = writer.Write(content)
	_ = writer.Close()
	other := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		reason string // empty if the bytes are accepted
	}{
		"the bytes":      {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) }, ""},
		"a redirect":     {redirect(other.URL + "/x"), ""},
		"other bytes":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content[1:]) }, ErrDigest.Error()},
		"nothing":        {func(http.ResponseWriter, *http.Request) {}, ErrDigest.Error()},
		"not found":      {http.NotFound, errNotThere.Error()},
		"an error":       {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "x", http.StatusTeapot) }, "status 418"},
		"a file":         {redirect("file:///etc/passwd"), "is not followed"},
		"a loop":         {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "too many redirects"},
		"too many bytes": {func(w http.ResponseWriter, _ *http.Request) { endless(w) }, "is larger than"},
		"truncated": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(content[:10])
		}, "EOF"},
		"compressed bytes": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(compressed.Bytes())
		}, ErrDigest.Error()},
	} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, fmt.Sprintf("/%x/%s", digest[:1], digest)) {
				http.NotFound(w, r)
				return
			}
			if r.Header.Get("Accept-Encoding") != "" {
				t.Error("the client asks for compressed answers")
			}
			c.answer(w, r)
		})
		got, err := get(t, server.URL, digest, 1<<20)
		switch {
		case c.reason == "" && (err != nil || !bytes.Equal(got, content)):
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		case c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)):
			t.Errorf("%s: %v, want %q", name, err, c.reason)
		}
	}
}

// endless writes until the client closes the connection.
func endless(to io.Writer) {
	for {
		if _, err := to.Write(make([]byte, 1<<16)); err != nil {
			return
		}
	}
}

// TestPrivateNetworks checks which addresses are private, and that URLs of others lead to none of them: by address, by name, by
// redirect or through a proxy.
func TestPrivateNetworks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"127.0.0.1": true, "10.1.2.3": true, "172.16.0.1": true, "192.168.1.1": true, "169.254.169.254": true, "100.64.0.1": true, "0.0.0.0": true,
		"255.255.255.255": true, "224.0.0.1": true, "198.18.0.1": true, "::1": true, "::": true, "fe80::1": true, "fd00::1": true,
		"::ffff:127.0.0.1": true, "::ffff:10.0.0.1": true, "64:ff9b::7f00:1": true, "2002:7f00:1::": true,
		"1.1.1.1": false, "2606:4700:4700::1111": false, "::ffff:1.1.1.1": false,
	} {
		if got := IsPrivate(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is private: %v", text, got)
		}
	}
	for host, want := range map[string]bool{"localhost": true, "localhost:80": true, "127.0.0.1:1": true, "[::1]:1": true, "1.1.1.1:1": false} {
		if got := HostIsPrivate(t.Context(), host); got != want {
			t.Errorf("%s is private: %v", host, got)
		}
	}
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a server in a private network was called") })
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
	})
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		location string
		proxy    func(*http.Request) (*url.URL, error)
	}{
		{server.URL, direct},
		{strings.Replace(server.URL, "127.0.0.1", "localhost", 1), direct},
		{server.URL, http.ProxyURL(through)},
		{"http://public.example", http.ProxyURL(through)}, // redirected to a private address
	} {
		_, err := NewClient(testChain, c.proxy, time.Minute).Open(t.Context(), c.location, PublicOnly)
		if !errors.Is(err, errPrivate) {
			t.Errorf("%s: %v", c.location, err)
		}
	}
}

// TestRedirects checks that uploads are not redirected, and that https is not left.
func TestRedirects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, from, to string
		allowed          bool
	}{
		{http.MethodGet, "http://a", "https://b", true},
		{http.MethodHead, "http://a", "http://b", true},
		{http.MethodGet, "https://a", "http://b", false},
		{http.MethodGet, "http://a", "ftp://b", false},
		{http.MethodGet, "http://a", "file:///b", false},
		{http.MethodPut, "http://a", "http://b", false},
		{http.MethodPost, "https://a", "https://a", false},
	} {
		via := httptest.NewRequestWithContext(t.Context(), c.method, c.from, nil)
		if err := checkRedirect(httptest.NewRequestWithContext(t.Context(), c.method, c.to, nil), []*http.Request{via}); (err == nil) != c.allowed {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestSlowAnswer checks that an answer which arrives at less than the minimum rate is given up.
func TestSlowAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		passed time.Duration // since the answer began
		size   int64         // received before
		want   error
	}{{time.Minute, 0, nil}, {time.Hour, 10, errSlow}, {time.Hour, 1 << 40, nil}} {
		timer := time.NewTimer(time.Hour)
		body := &watchedBody{
			ReadCloser: io.NopCloser(strings.NewReader("some bytes")), start: time.Now().Add(-c.passed), size: c.size,
			timer: timer, limit: time.Minute, cause: context.Background(), cancel: func() { timer.Stop() },
		}
		if _, err := body.Read(make([]byte, 4)); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c, err)
		}
		_ = body.Close()
	}
}
