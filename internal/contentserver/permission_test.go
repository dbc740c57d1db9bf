package contentserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/contentauth"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// TestPrivate checks that the content of a private project exists for its members only, also after somebody else names its
// digest on the chain, and that changes of the visibility are followed.
func TestPrivate(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	secret := f.create("secret", pb.Visibility_VISIBILITY_PRIVATE)
	local := gittest.Init(t)
	write(t, local, "a.txt", "secret\n")
	data := bundle(t, local, "main")
	digest := ident.Hash(blake3.Sum256(data))
	if status, body := f.put(secret, data, f.seed); status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", status, body)
	}
	f.publish(t, local, secret, "main", "main", data)

	bob := nodetest.NewAccount(t)
	for _, hash := range f.Register(bob, 1, "bob") {
		f.AwaitStatus(t, hash)
	}
	bobSeed := f.addKey(bob, pb.KeyScope_KEY_SCOPE_SIGNING)
	created := bob.Sign(message.ProjectCreate("mine", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	named := bob.Sign(message.CommitBundle(created.Hash, message.Content{Digest: digest}, message.Commit{
		Hash: ident.Hash{1}, TreeRoot: ident.Hash{2}, Title: "x", Author: bob.Owner(),
	}))
	f.commit(created)
	f.commit(named)
	blob := local.Git(t, "rev-parse", "main:a.txt")
	own := []string{
		"/v1/content/" + secret.String() + "/" + digest.String(), "/v1/content/" + secret.String() + "/objects/" + blob,
		"/v1/content/" + secret.String() + "/history/" + local.Git(t, "rev-parse", "main") + "?path=a.txt",
		"/git/alice/secret/info/refs?service=git-upload-pack", "/git/" + secret.String() + "/info/refs?service=git-upload-pack",
	}
	for _, path := range own {
		if status, body := f.get(path, secret, &f.seed); status != http.StatusOK {
			t.Errorf("GET %s by a member: %d %s", path, status, body)
		}
		for name, seed := range map[string]*[32]byte{"without a statement": nil, "by another account": &bobSeed} {
			if status, body := f.get(path, secret, seed); status != http.StatusNotFound {
				t.Errorf("GET %s %s: %d %s", path, name, status, body)
			}
		}
	}
	for _, path := range []string{
		"/v1/content/" + digest.String()[:2] + "/" + digest.String(), "/v1/content/" + created.Hash.String() + "/" + digest.String(),
		"/v1/content/" + created.Hash.String() + "/objects/" + blob,
	} {
		if status, body := f.get(path, created.Hash, &bobSeed); status != http.StatusNotFound {
			t.Errorf("GET %s: %d %s", path, status, body)
		}
	}
	if status, body := f.put(secret, data, bobSeed); status != http.StatusNotFound {
		t.Errorf("PUT by another account: %d %s", status, body)
	}
	if got := f.importFrom(created.Hash, secret, bobSeed); got.status != http.StatusNotFound {
		t.Errorf("import by another account: %d %s", got.status, got.body)
	}
	f.alice.AdvanceClock() // the visibility has the timestamp of the creation
	f.commit(f.alice.Sign(message.ProjectMetadata(secret, pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY, message.VisibilityPublic)))
	for _, path := range own {
		if status, body := f.get(path, secret, nil); status != http.StatusOK {
			t.Errorf("GET %s of a project that became public: %d %s", path, status, body)
		}
	}
	f.commit(f.alice.Sign(message.ProjectRemove(secret)))
	for _, path := range own {
		if status, body := f.get(path, secret, &f.seed); status != http.StatusNotFound {
			t.Errorf("GET %s of a removed project: %d %s", path, status, body)
		}
	}
}

// importFrom imports the content of a project.
func (f *fixture) importFrom(project, source ident.Hash, seed [32]byte) answer {
	f.tb.Helper()
	return f.do(request{
		method: http.MethodPost, path: "/v1/content/" + project.String() + "/import", body: []byte(`{"source":"` + source.String() + `"}`), seed: seed,
		statement: &contentauth.Statement{Purpose: contentauth.Import, Project: project, Digest: source},
	})
}

// TestImport checks that a fork gets the content of its source without an upload.
func TestImport(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	project := f.create("hello", pb.Visibility_VISIBILITY_PUBLIC)
	local := gittest.Init(t)
	tip := write(t, local, "a.txt", "one\n")
	data := bundle(t, local, "main")
	if status, body := f.put(project, data, f.seed); status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", status, body)
	}
	f.publish(t, local, project, "main", "main", data)
	fork := f.alice.Sign(message.Fork(project, hash(t, tip), "fork", pb.Visibility_VISIBILITY_PUBLIC))
	f.commit(fork)
	digest := ident.Hash(blake3.Sum256(data)).String()
	path := "/v1/content/" + fork.Hash.String() + "/" + digest
	if status, _ := f.get(path, fork.Hash, nil); status != http.StatusNotFound {
		t.Errorf("before the import: %d", status)
	}
	// The service may not have followed the block yet that names the content of the source.
	nodetest.Await(t, "the import", func() bool {
		got := f.importFrom(fork.Hash, project, f.seed)
		if got.status != http.StatusOK {
			t.Fatalf("import: %d %s", got.status, got.body)
		}
		return strings.Contains(got.body, `"imported":1`)
	})
	if status, body := f.get(path, fork.Hash, nil); status != http.StatusOK || body != string(data) {
		t.Errorf("after the import: %d, %d bytes", status, len(body))
	}
	if got := f.importFrom(fork.Hash, project, f.seed); !strings.Contains(got.body, `"imported":0`) {
		t.Errorf("another import: %d %s", got.status, got.body)
	}
}

// TestQuota checks the limits by storage units, of the service and of the disk.
func TestQuota(t *testing.T) {
	t.Parallel()
	local := gittest.Init(t)
	write(t, local, "a.txt", "one\n")
	data := bundle(t, local, "main")
	for name, test := range map[string]struct {
		config node.ContentConfig
		status int
		code   string
	}{
		"storage units": {node.ContentConfig{BytesPerUnit: int64(len(data)) - 1, MaxBytes: 1 << 30}, http.StatusForbidden, "content_quota_exceeded"},
		"service":       {node.ContentConfig{MaxBytes: 2*int64(len(data)) - 1}, http.StatusInsufficientStorage, "insufficient_storage"},
		"disk":          {node.ContentConfig{MaxBytes: 1 << 30, MinFree: 1 << 60}, http.StatusInsufficientStorage, "insufficient_storage"},
		"enough":        {node.ContentConfig{BytesPerUnit: int64(len(data)), MaxBytes: 2 * int64(len(data))}, http.StatusCreated, "digest"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, func(config *node.Config) { config.Content = test.config })
			project := f.create("hello", pb.Visibility_VISIBILITY_PUBLIC)
			if status, body := f.put(project, data, f.seed); status != test.status || !strings.Contains(body, test.code) {
				t.Errorf("%d %s, want %d %s", status, body, test.status, test.code)
			}
		})
	}
}
