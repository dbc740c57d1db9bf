package contentserver_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/contentserver"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// setStores makes a project name stores on the chain.
func (f *fixture) setStores(project ident.Hash, urls ...string) {
	f.tb.Helper()
	f.alice.AdvanceClock() // a field changes only later than before
	f.commit(f.alice.Sign(message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_CONTENT, strings.Join(urls, "\n"))))
}

// push uploads git bundles of a repository and names them on the chain.
func (f *fixture) push(t *testing.T, r *gittest.Repo, project ident.Hash, revisions, branch string) []byte {
	t.Helper()
	data := bundle(t, r, revisions)
	if status, body := f.put(project, data, f.seed); status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", status, body)
	}
	f.publish(t, r, project, revisions, branch, data)
	return data
}

// follow allows a service to fetch content from stores on this machine.
func follow(config *contentserver.Config) { config.Follow, config.FollowPrivate = true, true }

// TestFollow checks that a service fetches the content of public projects from the stores that they name: what was there before it
// started and what is pushed later, not from a store with false bytes, and not of private projects.
func TestFollow(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	project, private := f.create("hello", pb.Visibility_VISIBILITY_PUBLIC), f.create("secret", pb.Visibility_VISIBILITY_PRIVATE)
	local := gittest.Init(t)
	write(t, local, "a.txt", "one\n")
	f.push(t, local, project, "main", "main")
	f.push(t, local, private, "main", "main")
	write(t, local, "b.txt", "two\n")
	f.push(t, local, project, "main~1..main", "main")
	var asked atomic.Int64
	liar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(path.Base(r.URL.Path)) != 64 {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		_, _ = io.WriteString(w, "false")
	}))
	t.Cleanup(liar.Close)
	f.setStores(private, f.RESTURL())
	f.setStores(project, liar.URL, f.RESTURL())

	service, _ := f.standalone(t, "", false, follow)
	tip := local.Git(t, "rev-parse", "main")
	nodetest.Await(t, "the fetched ref", func() bool { return strings.Contains(f.refs(local, "/git/alice/hello"), tip) })
	if asked.Load() == 0 {
		t.Error("the first store was not asked")
	}
	follower := *f
	f.base = "" // uploads go to the node
	write(t, local, "c.txt", "three\n")
	f.push(t, local, project, "main~1..main", "main")
	tip = local.Git(t, "rev-parse", "main")
	nodetest.Await(t, "the next ref", func() bool { return strings.Contains(follower.refs(local, "/git/alice/hello"), tip) })
	// A fork has no content of its own, and its files come from the project that it was forked from.
	created := f.alice.Sign(message.Fork(project, hash(t, tip), "copy", pb.Visibility_VISIBILITY_PUBLIC))
	f.commit(created)
	f.commit(f.alice.Sign(message.RefUpdate(created.Hash, "refs/heads/main", message.RefMove{
		Type: pb.RefType_REF_TYPE_BRANCH, New: hash(t, tip), Nonce: 1,
	})))
	nodetest.Await(t, "the ref of the fork", func() bool { return strings.Contains(follower.refs(local, "/git/alice/copy"), tip) })
	clone := t.TempDir()
	local.Git(t, "clone", "--quiet", follower.url("/git/alice/hello"), clone)
	if text, err := os.ReadFile(filepath.Join(clone, "c.txt")); string(text) != "three\n" || err != nil {
		t.Errorf("the file has %q, %v", text, err)
	}
	if stats := service.Stats(); stats.Projects != 2 || stats.Bundles != 3 {
		t.Errorf("the service has %+v: it fetches public content only", stats)
	}
}

// TestFollowTwoNodes checks the same with the content service of a node that fetches from another service.
func TestFollowTwoNodes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(config *node.Config) { config.Content.Follow, config.Content.FollowPrivate = true, true })
	f.standalone(t, "", false)
	project := f.create("hello", pb.Visibility_VISIBILITY_PUBLIC)
	f.setStores(project, f.base)
	local := gittest.Init(t)
	write(t, local, "a.txt", "one\n")
	data := f.push(t, local, project, "main", "main")
	tip := local.Git(t, "rev-parse", "main")
	f.base = "" // the node, to which nothing was uploaded
	nodetest.Await(t, "the fetched ref", func() bool { return strings.Contains(f.refs(local, "/git/alice/hello"), tip) })
	digest := ident.Hash(blake3.Sum256(data)).String()
	if status, body := f.get("/v1/content/"+digest[:2]+"/"+digest, project, nil); status != http.StatusOK || body != string(data) {
		t.Errorf("GET: %d, %d bytes", status, len(body))
	}
}
