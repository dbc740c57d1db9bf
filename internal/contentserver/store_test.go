package contentserver_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/content"
	"makechain/internal/content/digest"
	"makechain/internal/contentserver"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
)

// TestSharedStore checks that a service deletes uploads which are never named from a store of its own, and from another one only
// if it collects there.
func TestSharedStore(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	project := f.create("hello", pb.Visibility_VISIBILITY_PUBLIC)
	local := gittest.Init(t)
	write(t, local, "a.txt", "never named\n")
	data := bundle(t, local, "main")
	hash := ident.Hash(blake3.Sum256(data))
	for _, collect := range []bool{true, false} {
		store := t.TempDir()
		service, chain := f.standalone(t, store, collect)
		if status, body := f.put(project, data, f.seed); status != http.StatusCreated {
			t.Fatalf("PUT: %d %s", status, body)
		}
		file := filepath.Join(store, filepath.FromSlash(digest.Path(hash)))
		if stored, err := os.ReadFile(file); !bytes.Equal(stored, data) || err != nil {
			t.Errorf("the store has %d bytes, %v", len(stored), err)
		}
		chain.by.Store(int64(2 * content.UnnamedTTL))
		// Nothing is deleted before the service has followed the chain, so it is tried until it can be.
		nodetest.Await(t, "the deletion", func() bool {
			if err := service.Maintain(t.Context()); err != nil {
				t.Fatal(err)
			}
			return !collect && service.Stats().Block > 0 || service.Stats().Bundles == 0
		})
		if _, err := os.Stat(file); (err == nil) == collect {
			t.Errorf("collect %t: the file: %v", collect, err)
		}
	}
}

// TestLostBytes checks that what a store has lost can be uploaded again.
func TestLostBytes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	project := f.create("hello", pb.Visibility_VISIBILITY_PUBLIC)
	local := gittest.Init(t)
	write(t, local, "a.txt", "one\n")
	data := bundle(t, local, "main")
	hash := ident.Hash(blake3.Sum256(data))
	for _, want := range []int{http.StatusCreated, http.StatusOK} {
		if status, body := f.put(project, data, f.seed); status != want {
			t.Fatalf("PUT: %d %s, want %d", status, body, want)
		}
	}
	if err := os.Remove(filepath.Join(f.Home(), "content", "bundles", filepath.FromSlash(digest.Path(hash)))); err != nil {
		t.Fatal(err)
	}
	path := "/v1/content/" + project.String() + "/" + hash.String()
	if status, _ := f.get(path, project, nil); status != http.StatusNotFound {
		t.Errorf("GET of what is lost: %d", status)
	}
	if status, body := f.put(project, data, f.seed); status != http.StatusCreated {
		t.Errorf("PUT of what is lost: %d %s", status, body)
	}
	if status, body := f.get(path, project, nil); status != http.StatusOK || body != string(data) {
		t.Errorf("GET: %d, %d bytes", status, len(body))
	}
}

// TestBinding checks that a directory with records is used with the same store only.
func TestBinding(t *testing.T) {
	t.Parallel()
	open := func(dir, store string) error {
		config := contentserver.Config{Dir: dir, Store: store, MaxBytes: 1}
		service, err := contentserver.Open(t.Context(), config, "chain", nil)
		if err != nil {
			return err
		}
		return service.Close()
	}
	for name, first := range map[string]string{"own": "", "another": t.TempDir()} {
		dir := t.TempDir()
		for _, store := range []string{t.TempDir(), first, first} { // without records the store may change
			if err := open(dir, store); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := os.MkdirAll(filepath.Join(dir, "records", ident.Hash{1}.String()), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := open(dir, first); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := open(dir, t.TempDir()); err == nil || !strings.Contains(err.Error(), "store.json") {
			t.Errorf("%s: another store: %v", name, err)
		}
	}
}

// TestOpenStore checks the texts of stores.
func TestOpenStore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	data := []byte("content")
	for _, text := range []string{dir, "file://" + dir} {
		store, err := contentserver.OpenStore(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Put(t.Context(), blake3.Sum256(data), bytes.NewReader(data)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(digest.Path(blake3.Sum256(data))))); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "file://", "https://content.example", "s3://", "s3://key:secret@bucket", "s3://bucket?endpoint=host"} {
		if err := contentserver.CheckStore(text); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := contentserver.OpenStore(t.Context(), text); err == nil {
			t.Errorf("%q is opened", text)
		}
	}
}
