// Package s3 tests the store in S3-compatible storage against a real server. It is a module of its own, because the server has
// many dependencies that the program does not need.
package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"makechain/internal/content/s3store"
	"makechain/internal/ident"
)

const (
	accessKey = "test-access-key"
	secretKey = "test-secret-key"
	bucket    = "bundles"
)

// startServer builds and starts an S3 server with one bucket and returns its URL.
func startServer(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "versitygw")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/versity/versitygw/cmd/versitygw")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, output)
	}
	data, metadata := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(data, bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	// The port can be taken by another process between its choice and the start of the server, which then exits.
	for range 5 {
		address := freeAddress(t)
		var log bytes.Buffer
		server := exec.Command(program, "--port", address, "--access", accessKey, "--secret", secretKey, "--quiet", //nolint:noctx // ends with the test
			"posix", "--sidecar", metadata, data)
		server.Stdout, server.Stderr = &log, &log
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		exited := make(chan error, 1)
		go func() { exited <- server.Wait() }()
		if awaitServer(t, address, exited) {
			t.Cleanup(func() {
				_ = server.Process.Kill()
				<-exited
			})
			return "http://" + address
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

// open opens the bucket under a prefix.
func open(t *testing.T, endpoint, prefix string) *s3store.Bucket {
	t.Helper()
	config, err := s3store.ParseURL("s3://" + bucket + "/" + prefix + "?region=us-east-1&endpoint=" + endpoint)
	if err != nil {
		t.Fatal(err)
	}
	store, err := s3store.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// read returns the bytes of a range.
func read(t *testing.T, store *s3store.Bucket, digest ident.Hash, offset, length int64) []byte {
	t.Helper()
	body, err := store.Get(t.Context(), digest, offset, length)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func random(t *testing.T, size int) ([]byte, ident.Hash) {
	t.Helper()
	content := make([]byte, size)
	if _, err := rand.Read(content); err != nil {
		t.Fatal(err)
	}
	return content, blake3.Sum256(content)
}

// TestBucket checks the contract of a store against a real server, with contents of one part and of several.
func TestBucket(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	endpoint := startServer(t)

	t.Run("contract", func(t *testing.T) {
		for name, prefix := range map[string]string{"with a prefix": "a/b", "without": ""} {
			t.Run(name, func(t *testing.T) { checkContract(t, open(t, endpoint, prefix)) })
		}
	})
	t.Run("parts", func(t *testing.T) {
		store := open(t, endpoint, "parts")
		content, digest := random(t, 150<<20)
		file, err := os.Create(filepath.Join(t.TempDir(), "content"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close() //nolint:errcheck // a temporary file
		if _, err := file.Write(append([]byte("skipped"), content...)); err != nil {
			t.Fatal(err)
		}
		if _, err := file.Seek(int64(len("skipped")), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if err := store.Put(t.Context(), digest, file); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, store, digest, 0, -1), content) {
			t.Error("other bytes were returned")
		}
		if got := read(t, store, digest, 70<<20, 1000); !bytes.Equal(got, content[70<<20:][:1000]) {
			t.Error("other bytes of a range were returned")
		}
	})
	t.Run("concurrent", func(t *testing.T) {
		stores := []*s3store.Bucket{open(t, endpoint, "shared"), open(t, endpoint, "shared")}
		content, digest := random(t, 1<<20)
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				if err := stores[i%2].Put(t.Context(), digest, bytes.NewReader(content)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if !bytes.Equal(read(t, stores[0], digest, 0, -1), content) {
			t.Error("other bytes were returned")
		}
	})
	t.Run("delete", func(t *testing.T) {
		store := s3store.Exclusive{Bucket: open(t, endpoint, "own")}
		content, digest := random(t, 100)
		if err := store.Put(t.Context(), digest, bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time there is nothing to delete
			if err := store.Delete(t.Context(), digest); err != nil {
				t.Fatal(err)
			}
		}
		wantAbsent(t, store.Bucket, digest)
	})
	t.Run("refused", func(t *testing.T) {
		config := s3store.Config{Endpoint: endpoint, Bucket: "missing", Region: "us-east-1"}
		if _, err := s3store.Open(t.Context(), config); err == nil || !strings.Contains(err.Error(), "does not exist") {
			t.Errorf("a missing bucket: %v", err)
		}
		t.Setenv("AWS_SECRET_ACCESS_KEY", "another")
		config.Bucket = bucket
		if _, err := s3store.Open(t.Context(), config); err == nil {
			t.Error("a wrong secret key was accepted")
		}
	})
}

func checkContract(t *testing.T, store *s3store.Bucket) {
	t.Helper()
	content, digest := random(t, 3000)
	wantAbsent(t, store, digest)
	changed := bytes.Clone(content)
	changed[0]++
	var mismatch *s3store.DigestError
	if err := store.Put(t.Context(), digest, bytes.NewReader(changed)); !errors.As(err, &mismatch) {
		t.Fatalf("other bytes: %v", err)
	}
	failed := errors.New("the client went away")
	if err := store.Put(t.Context(), digest, io.MultiReader(bytes.NewReader(content[:100]), failingReader{failed})); !errors.Is(err, failed) {
		t.Fatalf("a reader that fails: %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Put(canceled, digest, bytes.NewReader(content)); err == nil {
		t.Fatal("a put without time succeeded")
	}
	wantAbsent(t, store, digest)

	for range 2 {
		if err := store.Put(t.Context(), digest, bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	if size, err := store.Has(t.Context(), digest); err != nil || size != 3000 {
		t.Fatalf("size %d: %v", size, err)
	}
	for _, part := range []struct{ offset, length, from, to int64 }{
		{0, -1, 0, 3000}, {0, 1, 0, 1}, {0, 0, 0, 0}, {10, 20, 10, 30}, {2990, 100, 2990, 3000}, {2999, -1, 2999, 3000}, {3000, -1, 3000, 3000},
		{4000, 5, 3000, 3000},
	} {
		if got := read(t, store, digest, part.offset, part.length); !bytes.Equal(got, content[part.from:part.to]) {
			t.Errorf("%d bytes from %d: got %d", part.length, part.offset, len(got))
		}
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

func wantAbsent(t *testing.T, store *s3store.Bucket, digest ident.Hash) {
	t.Helper()
	if _, err := store.Has(t.Context(), digest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("has: %v, want fs.ErrNotExist", err)
	}
	if _, err := store.Get(t.Context(), digest, 0, -1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("get: %v, want fs.ErrNotExist", err)
	}
}
