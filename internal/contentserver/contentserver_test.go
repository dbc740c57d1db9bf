package contentserver_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/contentserver"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
)

// write writes a file and commits it.
func write(t *testing.T, r *gittest.Repo, name, text string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Git(t, "add", name)
	return r.Commit(t, name)
}

// TestPushAndClone uploads git bundles, names them on the chain, and clones with git from the node.
func TestPushAndClone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	project := f.create("hello", pb.Visibility_VISIBILITY_PUBLIC)
	local := gittest.Init(t)
	write(t, local, "a.txt", "one\n")
	first := bundle(t, local, "main")
	if status, body := f.put(project, first, f.seed); status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", status, body)
	}
	if status, body := f.put(project, first, f.seed); status != http.StatusOK {
		t.Fatalf("PUT again: %d %s", status, body)
	}
	f.publish(t, local, project, "main", "main", first)
	want := local.Git(t, "rev-parse", "main")
	nodetest.Await(t, "the ref", func() bool { return strings.Contains(f.refs(local, "/git/alice/hello"), want) })

	write(t, local, "b.txt", "two\n")
	second := bundle(t, local, "main~1..main")
	if status, body := f.put(project, second, f.seed); status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", status, body)
	}
	f.publish(t, local, project, "main~1..main", "main", second)
	want = local.Git(t, "rev-parse", "main")
	nodetest.Await(t, "the second ref", func() bool { return strings.Contains(f.refs(local, "/git/alice/hello.git"), want) })
	for _, path := range []string{"/git/alice/hello", "/git/" + project.String(), "/git/" + f.alice.Owner().String() + "/hello.git"} {
		clone := t.TempDir()
		local.Git(t, "clone", "--quiet", f.RESTURL()+path, clone)
		if got := (&gittest.Repo{Dir: clone}).Git(t, "rev-parse", "HEAD"); got != want {
			t.Errorf("%s: the clone has %s, want %s", path, got, want)
		}
		if text, err := os.ReadFile(filepath.Join(clone, "b.txt")); string(text) != "two\n" || err != nil {
			t.Errorf("%s: the file has %q, %v", path, text, err)
		}
	}
	f.checkReads(t, project, first, local.Git(t, "rev-parse", "main:a.txt"))
	f.checkPorts(t)
}

// checkReads checks the routes for bytes and objects of a public project.
func (f *fixture) checkReads(t *testing.T, project ident.Hash, data []byte, blob string) {
	t.Helper()
	digest := ident.Hash(blake3.Sum256(data)).String()
	for _, path := range []string{"/v1/content/" + project.String() + "/" + digest, "/v1/content/" + digest[:2] + "/" + digest} {
		got := f.do(request{method: http.MethodGet, path: path})
		if got.status != http.StatusOK || got.body != string(data) {
			t.Errorf("GET %s: %d, %d bytes", path, got.status, len(got.body))
		}
		for name, want := range map[string]string{
			"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
		} {
			if value := got.header.Get(name); value != want {
				t.Errorf("GET %s: %s is %q, want %q", path, name, value, want)
			}
		}
		got = f.do(request{method: http.MethodGet, path: path, header: map[string]string{"Range": "bytes=5-9"}})
		if got.status != http.StatusPartialContent || got.body != string(data[5:10]) {
			t.Errorf("GET %s with a range: %d, %q", path, got.status, got.body)
		}
		if got = f.do(request{method: http.MethodHead, path: path}); got.status != http.StatusOK || got.length != int64(len(data)) {
			t.Errorf("HEAD %s: %d, length %d", path, got.status, got.length)
		}
	}
	if status, body := f.get("/v1/content/"+project.String()+"/objects/"+blob, project, nil); status != http.StatusOK || body != "one\n" {
		t.Errorf("GET object: %d %q", status, body)
	}
}

// checkPorts checks that both ports of the node serve the routes.
func (f *fixture) checkPorts(t *testing.T) {
	t.Helper()
	for _, base := range []string{f.RESTURL(), "http://" + f.GRPCAddr()} {
		response, err := http.Get(base + "/v1/content") //nolint:noctx // of the test
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", base, response.Status)
		}
	}
}

// TestCheckURL checks which URLs can be the public one of a service.
func TestCheckURL(t *testing.T) {
	t.Parallel()
	for _, valid := range []string{"", "https://content.example", "http://192.0.2.1:8080/base", "https://[2001:db8::1]/"} {
		if err := contentserver.CheckURL(valid); err != nil {
			t.Errorf("%q: %v", valid, err)
		}
	}
	for _, invalid := range []string{
		"content.example", "ftp://content.example", "https://", "http://localhost:8080", "http://LOCALHOST.", "http://a.localhost",
		"http://127.0.0.1", "http://[::1]:80", "http://0.0.0.0", "http://[::ffff:127.0.0.1]", "https://a:b@content.example", "https://content.example/?a=b", "%",
	} {
		if err := contentserver.CheckURL(invalid); err == nil {
			t.Errorf("%q is accepted", invalid)
		}
	}
}
