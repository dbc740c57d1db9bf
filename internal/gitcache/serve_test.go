package gitcache

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"makechain/internal/gitbundle"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/limit"
)

// server serves the cache over HTTP, at /<project>/.
type server struct {
	*httptest.Server

	errs chan error // of each request, in the order in which they end
}

func serve(t testing.TB, cache *Cache) *server {
	t.Helper()
	s := &server{errs: make(chan error, 1000)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		id, err := ident.ParseHash(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		client := netip.MustParseAddrPort(r.RemoteAddr).Addr()
		if rest == "info/refs" {
			err = cache.InfoRefs(w, r, id, client)
		} else {
			err = cache.UploadPack(w, r, id, client)
		}
		var refused interface{ HTTPStatus() int }
		if errors.As(err, &refused) {
			http.Error(w, err.Error(), refused.HTTPStatus())
		}
		s.errs <- err
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) url(n byte) string { return s.URL + "/" + project(n).String() }

func served(t *testing.T, shape gittest.Shape) (*fixture, *server) {
	t.Helper()
	f := newFixture(t)
	f.Grow(t, shape)
	f.add(t, 1, "--all")
	f.set(t, 1)
	return f, serve(t, f.Cache)
}

// tryGit runs git and returns what it printed, and whether it succeeded.
func tryGit(t *testing.T, dir string, args ...string) (string, bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), gittest.Environment()...)
	printed, err := command.CombinedOutput()
	return string(printed), err == nil
}

// TestClone clones, fetches, deepens and clones partially with git, in all versions of the protocol.
func TestClone(t *testing.T) {
	t.Parallel()
	f, s := served(t, gittest.Shape{Seed: 2, Commits: 200, Lines: 4})
	outside := gittest.Init(t)
	for _, version := range []string{"0", "1", "2"} {
		clone := &gittest.Repo{Dir: t.TempDir()}
		outside.Git(t, "-c", "protocol.version="+version, "clone", "--quiet", "--mirror", s.url(1), clone.Dir)
		for _, args := range [][]string{{"for-each-ref"}, {"rev-list", "--objects", "--all"}} {
			if got, want := clone.Git(t, args...), f.Git(t, args...); got != want {
				t.Errorf("version %s: git %s differs", version, args[0])
			}
		}
	}
	shallow := &gittest.Repo{Dir: t.TempDir()}
	outside.Git(t, "clone", "--quiet", "--depth=3", s.url(1), shallow.Dir)
	shallow.Git(t, "fetch", "--quiet", "--deepen=5")
	shallow.Git(t, "fetch", "--quiet", "--unshallow")
	if got, want := shallow.Git(t, "rev-list", "main"), f.Git(t, "rev-list", "main"); got != want {
		t.Error("the history differs after --unshallow")
	}
	for _, filter := range []string{"blob:none", "blob:limit=1k", "tree:0"} {
		partial := &gittest.Repo{Dir: t.TempDir()}
		outside.Git(t, "clone", "--quiet", "--filter="+filter, s.url(1), partial.Dir)
		if got, want := partial.Git(t, "log", "--format=%H", "--stat", "-3"), f.Git(t, "log", "--format=%H", "--stat", "-3"); got != want {
			t.Errorf("filter %s: got %s, want %s", filter, got, want)
		}
	}
	for _, filter := range []string{"tree:1", "sparse:oid=main", "object:type=tag", "combine:blob:none+tree:0"} {
		if printed, ok := tryGit(t, outside.Dir, "clone", "--quiet", "--filter="+filter, s.url(1), t.TempDir()); ok {
			t.Errorf("filter %s was accepted: %s", filter, printed)
		}
	}
	clone := &gittest.Repo{Dir: t.TempDir()}
	outside.Git(t, "clone", "--quiet", s.url(1), clone.Dir)
	f.write(t, "new", "file\n")
	f.add(t, 1, "main", "^main~1")
	f.set(t, 1)
	clone.Git(t, "pull", "--quiet")
	if got, want := clone.Git(t, "rev-parse", "HEAD"), f.Git(t, "rev-parse", "main"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCloneSHA256 clones a SHA-256 repository, and an empty one of a project without content.
func TestCloneSHA256(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "--object-format=sha256")
	f.write(t, "a", "text\n")
	f.add(t, 1, "main")
	f.set(t, 1)
	s := serve(t, f.Cache)
	outside, clone := gittest.Init(t), &gittest.Repo{Dir: t.TempDir()}
	outside.Git(t, "clone", "--quiet", s.url(1), clone.Dir)
	if got, want := clone.Git(t, "rev-parse", "HEAD"), f.Git(t, "rev-parse", "main"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if printed, ok := tryGit(t, outside.Dir, "clone", s.url(2), t.TempDir()); !ok || !strings.Contains(printed, "empty repository") {
		t.Errorf("got %s", printed)
	}
	if printed, ok := tryGit(t, clone.Dir, "push", s.url(1), "HEAD:refs/heads/other"); ok {
		t.Errorf("a push was accepted: %s", printed)
	}
}

// TestOtherProject does not serve objects of another project by their ids.
func TestOtherProject(t *testing.T) {
	t.Parallel()
	f, s := served(t, gittest.Shape{Seed: 3, Commits: 10, Lines: 2})
	f.Git(t, "checkout", "--quiet", "--orphan", "private")
	secret := f.write(t, "secret", "text\n")
	f.add(t, 2, "private")
	refs := []gitbundle.Ref{{Name: "refs/heads/private", ID: f.write(t, "other", "text\n")}}
	f.add(t, 2, "private")
	if err := f.SetRefs(t.Context(), project(2), refs, "refs/heads/main"); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"0", "2"} {
		clone := gittest.Init(t)
		if printed, ok := tryGit(t, clone.Dir, "-c", "protocol.version="+version, "fetch", s.url(1), secret); ok ||
			!strings.Contains(printed, "not our ref") && !strings.Contains(printed, "unadvertised object") {
			t.Errorf("version %s: got %s", version, printed)
		}
		clone.Git(t, "-c", "protocol.version="+version, "fetch", "--quiet", s.url(2), secret)
	}
}

func (s *server) post(t *testing.T, body io.Reader, header ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url(1)+"/git-upload-pack", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", requestType)
	request.Header.Set("Git-Protocol", "version=2")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return response.StatusCode, err.Error()
	}
	return response.StatusCode, string(content)
}

func packet(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

func zipped(t *testing.T, content io.Reader) io.Reader {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	if _, err := io.Copy(writer, content); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

// repeated is a text that never ends.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		copied := copy(p[n:], r.text[r.at:])
		n, r.at = n+copied, (r.at+copied)%len(r.text)
	}
	return n, nil
}

// TestRequests sends malformed and oversized requests. Each ends with a status, and git with it.
func TestRequests(t *testing.T) {
	t.Parallel()
	f, s := served(t, gittest.Shape{Seed: 4, Commits: 10, Lines: 2})
	f.limits.RequestBytes = 1 << 20
	list := packet("command=ls-refs\n") + "0001" + packet("peel\n") + "0000"
	haves := packet("command=fetch") + "0001" + packet("want "+f.Git(t, "rev-parse", "main")+"\n")
	have := &repeated{text: packet("have " + strings.Repeat("a1", 20) + "\n")}
	endless := io.MultiReader(strings.NewReader(haves), have)
	for _, test := range []struct {
		name   string
		body   io.Reader
		header []string
		status int
		want   string
	}{
		{"ls-refs", strings.NewReader(list), nil, 200, "refs/heads/main"},
		{"gzip", zipped(t, strings.NewReader(list)), []string{"Content-Encoding", "gzip"}, 200, "refs/heads/main"},
		{"x-gzip", zipped(t, strings.NewReader(list)), []string{"Content-Encoding", "x-gzip"}, 200, "refs/heads/main"},
		{"trailing bytes", io.LimitReader(io.MultiReader(strings.NewReader(list), have), 300_000), nil, 200, "refs/heads/main"},
		{"empty", strings.NewReader(""), nil, 200, ""},
		{"not packets", strings.NewReader("hello"), nil, 400, "git upload-pack refused the request"},
		{"unknown command", strings.NewReader(packet("command=push\n") + "0000"), nil, 400, "git upload-pack refused the request"},
		{"content type", strings.NewReader(list), []string{"Content-Type", "text/plain"}, 415, requestType},
		{"encoding", strings.NewReader(list), []string{"Content-Encoding", "br"}, 415, "gzip or identity"},
		{"not gzip", strings.NewReader(list), []string{"Content-Encoding", "gzip"}, 400, "not compressed"},
		{"truncated gzip", io.LimitReader(zipped(t, io.LimitReader(have, 500_000)), 500), []string{"Content-Encoding", "gzip"}, 400, "cannot be read"},
		{"long", bytes.NewReader(make([]byte, 1<<20+1)), nil, 413, "more than 1048576 bytes"},
		{"endless haves", endless, nil, 413, "more than 1048576 bytes"},
		{"gzip bomb", zipped(t, io.LimitReader(endless, 16<<20)), []string{"Content-Encoding", "gzip"}, 413, "more than 1048576 bytes"},
		{"parameters", strings.NewReader(list), []string{"Git-Protocol", "version=2:x=$(id)"}, 400, "refused"},
	} {
		status, content := s.post(t, test.body, test.header...)
		if status != test.status || !strings.Contains(content, test.want) {
			t.Errorf("%s: got %d %.200q, want %d %q", test.name, status, content, test.status, test.want)
		}
	}
	if running := f.serving.count(); running != 0 {
		t.Errorf("%d requests are still running", running)
	}
}

// TestInfoRefs serves only upload-pack.
func TestInfoRefs(t *testing.T) {
	t.Parallel()
	_, s := served(t, gittest.Shape{Seed: 4, Commits: 10, Lines: 2})
	for service, want := range map[string]int{"git-upload-pack": 200, "git-receive-pack": 403, "": 403} {
		response, err := http.Get(s.url(1) + "/info/refs?service=" + service) //nolint:noctx // a test server
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != want {
			t.Errorf("%q: got %d, want %d", service, response.StatusCode, want)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClientsThatStop ends git when a client neither reads nor writes on, or is gone.
func TestClientsThatStop(t *testing.T) {
	t.Parallel()
	f, s := served(t, gittest.Shape{Seed: 5, Commits: 50, Lines: 2})
	request := packet("command=fetch") + "0001" + packet("want "+f.Git(t, "rev-parse", "main")+"\n") + packet("done\n") + "0000"
	head := "POST /" + project(1).String() + "/git-upload-pack HTTP/1.1\r\nHost: a\r\nGit-Protocol: version=2\r\nContent-Type: " + requestType + "\r\n"
	send := func(text string) net.Conn {
		conn, err := net.Dial("tcp", s.Listener.Addr().String()) //nolint:noctx // a test server
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	for _, text := range []string{
		head + "Content-Length: 1000\r\n\r\n" + packet("command=fetch"),
		head + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(request), request),
	} {
		if err := send(text).Close(); err != nil {
			t.Error(err)
		}
		waitFor(t, s)
	}
	f.limits.ServeTime = 200 * time.Millisecond
	send(head + "Content-Length: 1000\r\n\r\n" + packet("command=fetch"))
	waitFor(t, s)
}

// TestClientThatReadsNothing ends git when a client does not read the response.
func TestClientThatReadsNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	random := make([]byte, 16<<20) // more than the buffers of a connection
	if _, err := rand.NewChaCha8([32]byte{}).Read(random); err != nil {
		t.Fatal(err)
	}
	f.write(t, "a", string(random))
	f.add(t, 1, "main")
	f.set(t, 1)
	s := serve(t, f.Cache)
	f.limits.ServeTime = 2 * time.Second
	request := packet("command=fetch") + "0001" + packet("want "+f.Git(t, "rev-parse", "main")+"\n") + packet("done\n") + "0000"
	conn, err := net.Dial("tcp", s.Listener.Addr().String()) //nolint:noctx // a test server
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "POST /%s/git-upload-pack HTTP/1.1\r\nHost: a\r\nGit-Protocol: version=2\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		project(1), requestType, len(request), request)
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, s)
	if running := f.serving.count(); running != 0 {
		t.Errorf("%d requests are still running", running)
	}
}

// TestBusy refuses requests when others run and too many wait.
func TestBusy(t *testing.T) {
	t.Parallel()
	f, s := served(t, gittest.Shape{Seed: 6, Commits: 10, Lines: 2})
	client, other := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("192.0.2.1")
	f.serving = newGate(3, 2, 0)
	for _, taken := range []netip.Addr{client, client} {
		if !f.serving.enter(t.Context(), taken) {
			t.Fatal("the gate is closed")
		}
	}
	if !f.serving.enter(t.Context(), other) {
		t.Fatal("the gate is closed for another client")
	}
	list := packet("command=ls-refs\n") + "0000"
	if status, content := s.post(t, strings.NewReader(list)); status != http.StatusTooManyRequests {
		t.Errorf("got %d %s", status, content)
	}
	f.serving.leave(client)
	if status, content := s.post(t, strings.NewReader(list)); status != http.StatusOK {
		t.Errorf("got %d %s", status, content)
	}
	f.serving.maxWaiting = 1
	if !f.serving.enter(t.Context(), client) {
		t.Fatal("the gate is closed")
	}
	done := make(chan int, 1)
	go func() {
		status, _ := s.post(t, strings.NewReader(list))
		done <- status
	}()
	for !f.serving.isWaiting() {
		runtime.Gosched()
	}
	if status, content := s.post(t, strings.NewReader(list)); status != http.StatusTooManyRequests {
		t.Errorf("got %d %s", status, content)
	}
	f.serving.leave(client)
	if status := <-done; status != http.StatusOK {
		t.Errorf("a request that waited: got %d", status)
	}
}

func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running
}

func (g *gate) isWaiting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting > 0
}

// waitFor waits until a request has ended.
func waitFor(t *testing.T, s *server) {
	t.Helper()
	select {
	case <-s.errs:
	case <-time.After(time.Minute):
		t.Fatal("the request did not end")
	}
}

// account is a meter that adds up costs.
type account struct{ spent atomic.Int64 }

func (a *account) Charge(cost time.Duration)    { a.spent.Add(int64(cost)) }
func (*account) Check() error                   { return nil }
func (*account) Wait(ctx context.Context) error { return ctx.Err() }

// TestCost checks that the processor time of git is charged to the client of a request.
func TestCost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tip := f.write(t, "a", "one")
	f.add(t, 1, "main")
	f.set(t, 1)
	want := "0032want " + tip + "\n"
	for _, test := range []struct{ method, target, body string }{
		{http.MethodGet, "/info/refs?service=git-upload-pack", ""},
		{http.MethodPost, "/git-upload-pack", "0011command=fetch0001" + "000dofs-delta" + want + "0009done\n0000"},
		{http.MethodPost, "/git-upload-pack", "malformed"},
	} {
		var spent account
		r := httptest.NewRequestWithContext(limit.WithMeter(t.Context(), &spent), test.method, test.target, strings.NewReader(test.body))
		r.Header.Set("Content-Type", requestType)
		r.Header.Set("Git-Protocol", "version=2")
		serve := f.InfoRefs
		if test.method == http.MethodPost {
			serve = f.UploadPack
		}
		err := serve(httptest.NewRecorder(), r, project(1), netip.IPv6Loopback())
		if (err != nil) != (test.body == "malformed") {
			t.Errorf("%s %q: %v", test.target, test.body, err)
		}
		if spent.spent.Load() <= 0 {
			t.Errorf("%s %q: nothing was charged", test.target, test.body)
		}
	}
}

// TestNetworks checks that the addresses of one IPv6 network share the requests of a client.
func TestNetworks(t *testing.T) {
	t.Parallel()
	g := newGate(3, 1, 0)
	for _, test := range []struct {
		client string
		want   bool
	}{{"2001:db8::1", true}, {"2001:db8::2", false}, {"2001:db8:0:1::1", true}, {"192.0.2.1", true}, {"192.0.2.2", false}} {
		if got := g.enter(t.Context(), netip.MustParseAddr(test.client)); got != test.want {
			t.Errorf("%s: %t", test.client, got)
		}
	}
	g.leave(netip.MustParseAddr("2001:db8::3"))
	if !g.enter(t.Context(), netip.MustParseAddr("2001:db8::2")) {
		t.Error("a request that ended is still counted")
	}
}
