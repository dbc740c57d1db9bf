package dirstore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"makechain/internal/content/digest"
	"makechain/internal/ident"
)

func open(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func sample(size int) (ident.Hash, []byte) {
	data := bytes.Repeat([]byte{byte(size), 1, 2, 3}, size/4+1)[:size]
	return blake3.Sum256(data), data
}

func get(t *testing.T, d *Dir, digest ident.Hash, offset, length int64) string {
	t.Helper()
	r, err := d.Get(t.Context(), digest, offset, length)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// files returns the paths of the files in a directory, relative to it.
func files(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			path, err = filepath.Rel(dir, path)
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// TestStore checks storing, reading ranges and deleting.
func TestStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	digest, data := sample(1000)
	if _, err := d.Has(t.Context(), digest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Has before Put: %v", err)
	}
	if _, err := d.Get(t.Context(), digest, 0, -1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get before Put: %v", err)
	}
	if err := d.Put(t.Context(), digest, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	if size, err := d.Has(t.Context(), digest); size != 1000 || err != nil {
		t.Errorf("Has returns %d, %v", size, err)
	}
	name := digest.String()
	if got := files(t, dir); len(got) != 1 || got[0] != filepath.Join(name[:2], name) {
		t.Errorf("the directory has %v", got)
	}
	for _, test := range []struct{ offset, length, from, to int64 }{
		{0, -1, 0, 1000}, {10, -1, 10, 1000}, {0, 10, 0, 10}, {990, 100, 990, 1000}, {1000, -1, 1000, 1000}, {2000, 5, 1000, 1000}, {5, 0, 5, 5},
	} {
		if got := get(t, d, digest, test.offset, test.length); got != string(data[test.from:test.to]) {
			t.Errorf("offset %d, length %d: %d bytes, want %d", test.offset, test.length, len(got), test.to-test.from)
		}
	}
	if err := d.Put(t.Context(), digest, failingReader{}); err != nil {
		t.Errorf("Put of what is stored: %v", err)
	}
	for range 2 {
		if err := d.Delete(t.Context(), digest); err != nil {
			t.Fatal(err)
		}
	}
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("after Delete the directory has %v", got)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("read failed") }

// TestPutErrors checks that nothing is left of a Put that fails.
func TestPutErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	hash, data := sample(100)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx context.Context //nolint:containedctx // of the test
		r   io.Reader
	}{
		"other bytes":    {t.Context(), strings.NewReader("other")},
		"truncated":      {t.Context(), bytes.NewReader(data[:99])},
		"longer":         {t.Context(), io.MultiReader(bytes.NewReader(data), strings.NewReader("x"))},
		"failing reader": {t.Context(), io.MultiReader(bytes.NewReader(data), failingReader{})},
		"canceled":       {canceled, bytes.NewReader(data)},
	} {
		if err := d.Put(test.ctx, hash, test.r); err == nil {
			t.Errorf("%s: Put succeeds", name)
		}
		if got := files(t, dir); len(got) != 0 {
			t.Errorf("%s: the directory has %v", name, got)
		}
	}
	var mismatch *digest.Error
	if err := d.Put(t.Context(), hash, strings.NewReader("other")); !errors.As(err, &mismatch) || mismatch.Want != hash {
		t.Errorf("Put of other bytes: %v", err)
	}
}

// TestCrash checks that the store is valid after a crash before each step of Put and Delete: a digest is either stored
// completely or absent, nothing else is left after an hour, and the operation can be repeated.
func TestCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	digest, data := sample(5000)
	other, otherData := sample(77)
	if err := d.Put(t.Context(), other, bytes.NewReader(otherData)); err != nil {
		t.Fatal(err)
	}
	var steps []string
	d.step = func(name string) {
		steps = append(steps, name)
		crashed := t.TempDir()
		if err := os.CopyFS(crashed, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		for _, file := range files(t, filepath.Join(crashed, tmpDir)) {
			path, before := filepath.Join(crashed, tmpDir, file), time.Now().Add(-2*staleAge)
			if open(t, crashed); os.Chtimes(path, before, before) != nil {
				t.Errorf("crash before %q: a new temporary file was deleted", name)
			}
		}
		after := open(t, crashed)
		if got := get(t, after, other, 0, -1); got != string(otherData) {
			t.Errorf("crash before %q: the other content has changed", name)
		}
		if _, err := after.Has(t.Context(), digest); err == nil && get(t, after, digest, 0, -1) != string(data) {
			t.Errorf("crash before %q: the content is not complete", name)
		} else if err != nil && len(files(t, crashed)) != 1 {
			t.Errorf("crash before %q: the directory has %v", name, files(t, crashed))
		}
		if err := after.Put(t.Context(), digest, bytes.NewReader(data)); err != nil {
			t.Errorf("crash before %q: %v", name, err)
		}
		if get(t, after, digest, 0, -1) != string(data) || len(files(t, crashed)) != 2 {
			t.Errorf("crash before %q: it cannot be stored again", name)
		}
	}
	if err := d.Put(t.Context(), digest, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	if err := d.Delete(t.Context(), digest); err != nil {
		t.Fatal(err)
	}
	if len(steps) != 9 {
		t.Errorf("the steps are %q, want 9", steps)
	}
}

// TestConcurrent checks that many can store and read the same digest at once.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	digest, data := sample(100_000)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if err := d.Put(t.Context(), digest, bytes.NewReader(data)); err != nil {
				t.Error(err)
			}
			if got := get(t, d, digest, 0, -1); got != string(data) {
				t.Error("the content is not complete")
			}
		})
	}
	group.Wait()
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("the directory has %v", got)
	}
}
