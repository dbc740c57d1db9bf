package s3

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

const (
	accessKey = "test-access-key"
	secretKey = "test-secret-key"
	bucket    = "bundles"
)

// A server is an S3 server with one bucket, behind a proxy that can interrupt it without giving up its port.
type server struct {
	url  string // of the proxy
	data string // directory of buckets

	backend string // address

	mu    sync.Mutex // guards what follows
	down  bool
	conns map[net.Conn]bool
}

// startServer builds and starts a server, and sets the keys for it in the environment.
func startServer(t *testing.T) *server {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	program := filepath.Join(t.TempDir(), "versitygw")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/versity/versitygw/cmd/versitygw")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, output)
	}
	s := &server{data: t.TempDir(), conns: map[net.Conn]bool{}}
	if err := os.Mkdir(filepath.Join(s.data, bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	s.backend = startBackend(t, program, s.data)
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed by the test
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() { s.accept(&group, listener) })
	t.Cleanup(func() {
		_ = listener.Close()
		s.setDown(true)
		group.Wait()
	})
	s.url = "http://" + listener.Addr().String()
	return s
}

// startBackend starts the program and returns its address.
func startBackend(t *testing.T, program, data string) string {
	t.Helper()
	metadata := t.TempDir()
	// The port can be taken by another process between its choice and the start of the server, which then exits.
	for range 5 {
		address := freeAddress(t)
		var log bytes.Buffer
		process := exec.Command(program, "--port", address, "--access", accessKey, "--secret", secretKey, "--quiet", //nolint:noctx // ends with the test
			"posix", "--sidecar", metadata, data)
		process.Stdout, process.Stderr = &log, &log
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		exited := make(chan error, 1)
		go func() { exited <- process.Wait() }()
		if awaitServer(t, address, exited) {
			t.Cleanup(func() {
				_ = process.Process.Kill()
				<-exited
			})
			return address
		}
		t.Logf("the server did not start at %s: %s", address, &log)
	}
	t.Fatal("the server did not start")
	return ""
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // nothing was accepted
	return listener.Addr().String()
}

// awaitServer waits until a server accepts connections, and reports false if it exits before.
func awaitServer(t *testing.T, address string, exited <-chan error) bool {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		if conn, err := net.Dial("tcp", address); err == nil { //nolint:noctx // a local address
			return conn.Close() == nil
		}
		select {
		case <-exited:
			return false
		case <-deadline:
			t.Fatal("the server does not accept connections")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// setDown interrupts the server or makes it available again.
func (s *server) setDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
	if down {
		for conn := range s.conns {
			_ = conn.Close()
		}
	}
}

// accept forwards connections.
func (s *server) accept(group *sync.WaitGroup, listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		group.Go(func() { s.forward(conn) })
	}
}

func (s *server) forward(client net.Conn) {
	backend, err := net.Dial("tcp", s.backend) //nolint:noctx // a local address
	if err != nil || !s.track(client, backend) {
		_ = client.Close()
		return
	}
	var group sync.WaitGroup
	for _, pair := range [][2]net.Conn{{client, backend}, {backend, client}} {
		group.Go(func() {
			_, _ = io.Copy(pair[0], pair[1])
			_, _ = pair[0].Close(), pair[1].Close()
		})
	}
	group.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, client)
	delete(s.conns, backend)
}

// track adds connections that setDown closes, unless the server is down.
func (s *server) track(conns ...net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range conns {
		if s.down {
			_ = conn.Close()
		} else {
			s.conns[conn] = true
		}
	}
	return !s.down
}

// store returns the URL of the bucket under a prefix, for ParseURL.
func (s *server) store(prefix string) string {
	return "s3://" + bucket + "/" + prefix + "?region=us-east-1&endpoint=" + s.url
}
