package gitremote

import (
	"encoding/pem"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCertificates clones and pushes through a node with TLS whose certificate authority is the user's own: both the node and its store
// are accepted with the settings of git, and with no other.
func TestCertificates(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a node and runs git")
	}
	n := startNode(t)
	m := newMachine(t, n.GRPCAddr(), genesisOf(n))
	m.environment = append(m.environment, "GIT_SSL_CAINFO=", "GIT_SSL_CAPATH=") // they take precedence over the configuration
	m.must(t, "", "makechain", "account", "create", "alice", "--insecure-plaintext")
	m.must(t, "", "makechain", "project", "create", "hello")
	m.must(t, "", "git", "init", "--quiet", "--initial-branch=main", "hello")
	m.must(t, "hello", "git", "commit", "--quiet", "--allow-empty", "-m", "first")
	server := httptest.NewUnstartedServer(forward(n.GRPCAddr()))
	server.EnableHTTP2, server.Config.ErrorLog = true, log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	remote := "makechain::" + server.URL + "/alice/hello"
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	certificates := filepath.Join(m.dir, "certificates")
	file := filepath.Join(certificates, "own.pem")
	if err := os.Mkdir(certificates, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, settings := range [][]string{nil, {"-c", "http.sslVerify=false"}, {"-c", "http.sslCAInfo=" + filepath.Join(m.dir, "missing.pem")}} {
		args := append(append([]string{"git"}, settings...), "push", remote, "HEAD:main")
		printed, succeeded := m.run(t, "hello", args...)
		if succeeded || !strings.Contains(printed, "certificate") && !strings.Contains(printed, "http.sslCAInfo") {
			t.Errorf("with %q git printed %q", settings, printed)
		}
	}
	m.must(t, "hello", "git", "-c", "http.sslCAInfo="+file, "push", "--quiet", remote, "HEAD:main")
	m.must(t, "", "git", "-c", "http.sslCAPath="+certificates, "clone", "--quiet", remote, "by-path")
	m.environment = append(m.environment, "GIT_SSL_CAINFO="+file)
	m.must(t, "", "git", "clone", "--quiet", remote, "by-environment")
	if got, want := m.must(t, "by-environment", "git", "rev-parse", "HEAD"), m.must(t, "hello", "git", "rev-parse", "HEAD"); got != want {
		t.Errorf("the clone is at %s, want %s", got, want)
	}
}
