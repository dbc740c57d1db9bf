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
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"makechain/internal/content/digest"
	"makechain/internal/content/s3store"
	"makechain/internal/ident"
)

// open opens the bucket under a prefix as a service.
func open(t *testing.T, s *server, prefix, service string) *s3store.Bucket {
	t.Helper()
	config, err := s3store.ParseURL(s.store(prefix))
	if err != nil {
		t.Fatal(err)
	}
	config.Service = service
	store := openConfig(t, config)
	if err := store.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

func openConfig(t *testing.T, config s3store.Config) *s3store.Bucket {
	t.Helper()
	store, err := s3store.Open(config)
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
	s := startServer(t)

	t.Run("contract", func(t *testing.T) {
		for name, prefix := range map[string]string{"with a prefix": "a/b", "without": ""} {
			t.Run(name, func(t *testing.T) { checkContract(t, open(t, s, prefix, "a")) })
		}
	})
	t.Run("parts", func(t *testing.T) {
		store := open(t, s, "parts", "a")
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
		stores := []*s3store.Bucket{open(t, s, "concurrent", ""), open(t, s, "concurrent", "a")}
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
	t.Run("shared", func(t *testing.T) { checkShared(t, s) })
	t.Run("deletions", func(t *testing.T) { checkDeletions(t, s) })
	t.Run("damaged", func(t *testing.T) {
		store := open(t, s, "damaged", "")
		content, hash := random(t, 1000)
		if err := store.Put(t.Context(), hash, bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(s.data, bucket, "damaged", digest.Path(hash)), 999); err != nil {
			t.Fatal(err)
		}
		if err := store.Put(t.Context(), hash, bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, store, hash, 0, -1), content) {
			t.Error("a truncated object was not replaced")
		}
	})
	t.Run("unavailable", func(t *testing.T) {
		store := open(t, s, "unavailable", "")
		content, digest := random(t, 1000)
		s.setDown(true)
		defer s.setDown(false)
		_, hasErr := store.Has(t.Context(), digest)
		_, getErr := store.Get(t.Context(), digest, 0, -1)
		for name, err := range map[string]error{
			"has": hasErr, "get": getErr, "put": store.Put(t.Context(), digest, bytes.NewReader(content)),
			"delete": store.Delete(t.Context(), digest), "check": store.Check(t.Context()),
		} {
			var failed *s3store.Error
			if !errors.As(err, &failed) || failed.StoreStatus() != http.StatusServiceUnavailable || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("refused", func(t *testing.T) {
		if err := openConfig(t, s3store.Config{Endpoint: s.url, Bucket: "missing", Region: "us-east-1"}).Check(t.Context()); err == nil ||
			!strings.Contains(err.Error(), "does not exist") {
			t.Errorf("a missing bucket: %v", err)
		}
		t.Setenv("AWS_SECRET_ACCESS_KEY", "another")
		err := openConfig(t, s3store.Config{Endpoint: s.url, Bucket: bucket, Region: "us-east-1"}).Check(t.Context())
		if err == nil || !strings.Contains(err.Error(), "access denied") {
			t.Errorf("a wrong secret key: %v", err)
		}
	})
}

// checkShared checks that a service deletes nothing that another one needs, and nothing that is a copy.
func checkShared(t *testing.T, s *server) {
	t.Helper()
	a, b, copies := open(t, s, "shared", "a"), open(t, s, "shared", "b"), open(t, s, "shared", "")
	content, digest := random(t, 100)
	put := func(stores ...*s3store.Bucket) {
		for _, store := range stores {
			if err := store.Put(t.Context(), digest, bytes.NewReader(content)); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(store *s3store.Bucket) {
		for range 2 { // the second time there is nothing to delete
			if err := store.Delete(t.Context(), digest); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(a, b)
	remove(a)
	if !bytes.Equal(read(t, b, digest, 0, -1), content) {
		t.Error("the bytes of b were deleted by a")
	}
	remove(b)
	wantAbsent(t, a, digest)
	if left := objects(t, s, "shared"); len(left) != 0 {
		t.Errorf("the bucket has %q", left)
	}
	put(copies, a)
	remove(a)
	if !bytes.Equal(read(t, a, digest, 0, -1), content) {
		t.Error("a copy was deleted")
	}
}

// checkDeletions checks that what a service has put stays until the same service deletes it, while another one deletes the same
// digest again and again.
func checkDeletions(t *testing.T, s *server) {
	t.Helper()
	content, digest := random(t, 100)
	var group sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		store := open(t, s, "deletions", name)
		group.Go(func() {
			for range 20 {
				if err := persist(func() error { return store.Put(t.Context(), digest, bytes.NewReader(content)) }); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if err := persist(func() error { _, err := store.Has(t.Context(), digest); return err }); err != nil {
					t.Errorf("%s: the bytes were deleted by the other service: %v", name, err)
				}
				if err := persist(func() error { return store.Delete(t.Context(), digest) }); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	group.Wait()
	if left := objects(t, s, "deletions"); len(left) != 0 {
		t.Errorf("the bucket has %q", left)
	}
}

// persist repeats a request that the server fails: this one deletes directories that become empty, also while it creates an object
// in one of them. It does not repeat one for what does not exist.
func persist(run func() error) error {
	deadline := time.Now().Add(timeout)
	for {
		err := run()
		if failed := (*s3store.Error)(nil); !errors.As(err, &failed) || time.Now().After(deadline) {
			return err
		}
	}
}

// objects returns the files of the bucket under a prefix.
func objects(t *testing.T, s *server, prefix string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(s.data, bucket, prefix), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // the server deletes directories that are empty
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func checkContract(t *testing.T, store *s3store.Bucket) {
	t.Helper()
	content, hash := random(t, 3000)
	wantAbsent(t, store, hash)
	changed := bytes.Clone(content)
	changed[0]++
	var mismatch *digest.Error
	if err := store.Put(t.Context(), hash, bytes.NewReader(changed)); !errors.As(err, &mismatch) {
		t.Fatalf("other bytes: %v", err)
	}
	failed := errors.New("the client went away")
	if err := store.Put(t.Context(), hash, io.MultiReader(bytes.NewReader(content[:100]), failingReader{failed})); !errors.Is(err, failed) {
		t.Fatalf("a reader that fails: %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Put(canceled, hash, bytes.NewReader(content)); err == nil {
		t.Fatal("a put without time succeeded")
	}
	wantAbsent(t, store, hash)

	for range 2 {
		if err := store.Put(t.Context(), hash, bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	if size, err := store.Has(t.Context(), hash); err != nil || size != 3000 {
		t.Fatalf("size %d: %v", size, err)
	}
	for _, part := range []struct{ offset, length, from, to int64 }{
		{0, -1, 0, 3000}, {0, 1, 0, 1}, {0, 0, 0, 0}, {10, 20, 10, 30}, {2990, 100, 2990, 3000}, {2999, -1, 2999, 3000}, {3000, -1, 3000, 3000},
		{4000, 5, 3000, 3000},
	} {
		if got := read(t, store, hash, part.offset, part.length); !bytes.Equal(got, content[part.from:part.to]) {
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
