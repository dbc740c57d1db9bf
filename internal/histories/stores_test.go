package histories_test

import (
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"makechain/internal/gitrepo/gittest"
)

// The kinds of stores that a project can be cloned from.
const (
	fromNode       = "node"
	fromDirectory  = "directory"
	fromHTTP       = "plain HTTP"
	fromBackend    = "git http-backend"
	fromRepository = "local repository"
)

// kinds returns all kinds.
func kinds() []string {
	return []string{fromNode, fromDirectory, fromHTTP, fromBackend, fromRepository}
}

// stores are the places where the content of pushes is.
type stores struct {
	files   string // a directory with git bundles, to which pushes upload as well
	static  string // URL of a file server of that directory
	bare    string // a repository
	backend string // its URL at git http-backend
}

// newStores creates empty stores. The repository has the object format of another one.
func (m *machine) newStores(tb testing.TB, like string) *stores {
	tb.Helper()
	s := &stores{files: tb.TempDir(), bare: filepath.Join(tb.TempDir(), "bare.git")}
	m.git(tb, m.dir, "init", "--quiet", "--bare", "--initial-branch=main", "--object-format="+m.git(tb, like, "rev-parse", "--show-object-format"), s.bare)
	m.git(tb, s.bare, "config", "http.receivepack", "true")
	s.static = serve(tb, http.FileServer(http.Dir(s.files)))
	s.backend = serve(tb, backend(tb, s.bare))
	return s
}

func serve(tb testing.TB, handler http.Handler) string {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	return server.URL
}

// backend returns an unmodified git http-backend that serves a repository.
func backend(tb testing.TB, repository string) http.Handler {
	tb.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		tb.Fatal(err)
	}
	return &cgi.Handler{
		Path: program, Args: []string{"http-backend"}, Stderr: io.Discard, // it reports every request that it does not know
		Env: append(gittest.Environment(), "GIT_PROJECT_ROOT="+repository, "GIT_HTTP_EXPORT_ALL=1", "PATH="+os.Getenv("PATH")),
	}
}

// push pushes all refs of a repository to a project, with its content at the node and in the directory, and to the server of git.
func (m *machine) push(tb testing.TB, s *stores, from, url string) {
	tb.Helper()
	m.git(tb, from, "-c", "makechain.store="+s.files, "-c", "makechain.replicas=2", "push", "--quiet", "--mirror", url)
	// CGI needs the length of a body, which git sends if the body fits into this buffer.
	m.git(tb, from, "-c", "http.postBuffer=1g", "push", "--quiet", "--mirror", s.backend)
}

// store returns the store of a kind, as in git config makechain.store.
func (s *stores) store(kind string) string {
	return map[string]string{fromDirectory: s.files, fromHTTP: s.static, fromBackend: s.backend, fromRepository: s.bare}[kind]
}
