package mirror_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"makechain/client"
	"makechain/internal/content/dirstore"
	"makechain/internal/gitbundle"
	"makechain/internal/mirror"
	"makechain/internal/remotehelper"
	"makechain/internal/storeclient"
	"makechain/message"
)

// chain is a chain with projects, whose stores are opened as those of a configuration.
type chain struct {
	projects map[message.Hash]*remotehelper.Project
	contents map[message.Hash][]client.Content
	policy   storeclient.Policy
	client   *storeclient.Client
}

func newChain() *chain {
	return &chain{
		projects: map[message.Hash]*remotehelper.Project{}, contents: map[message.Hash][]client.Content{},
		client: storeclient.NewClient("test", http.ProxyFromEnvironment, time.Minute),
	}
}

func (c *chain) Contents(_ context.Context, project message.Hash) (*client.ProvenContents, error) {
	return &client.ProvenContents{Proven: client.Proven{Block: 9}, Contents: c.contents[project]}, nil
}

func (c *chain) Sources(ctx context.Context, id message.Hash) (*remotehelper.Sources, error) {
	project := c.projects[id]
	if project == nil {
		return nil, &client.NotFoundError{Kind: "project", Name: id.String()}
	}
	sources := &remotehelper.Sources{Project: project}
	for _, url := range project.Stores {
		store, err := c.client.Open(ctx, url, c.policy)
		if err != nil {
			sources.Skipped = append(sources.Skipped, err)
			continue
		}
		sources.Stores = append(sources.Stores, store)
	}
	return sources, nil
}

// name adds content to a project in a block.
func (c *chain) name(project message.Hash, block uint64, data []byte) message.Hash {
	digest := message.Hash(blake3.Sum256(data))
	c.contents[project] = append(c.contents[project], client.Content{Digest: digest, Block: block})
	return digest
}

// files serves files of a store by their digests, whatever their bytes are.
func files(t *testing.T, content map[message.Hash]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for digest, text := range content {
			if path.Base(r.URL.Path) == digest.String() && strings.HasPrefix(r.URL.Path, "/"+digest.String()[:2]+"/") {
				_, _ = io.WriteString(w, text)
				return
			}
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func newTarget(t *testing.T) *dirstore.Dir {
	t.Helper()
	target, err := dirstore.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// TestCopy checks that content is copied from the first store that has the bytes of the digest, and that false bytes never reach
// the target.
func TestCopy(t *testing.T) {
	t.Parallel()
	c, id := newChain(), message.Hash{1}
	one, two, three := c.name(id, 1, []byte("one")), c.name(id, 2, []byte("two")), c.name(id, 3, []byte("three"))
	c.projects[id] = &remotehelper.Project{ID: id, Stores: []string{
		files(t, map[message.Hash]string{one: "false", three: "also false"}),
		files(t, map[message.Hash]string{one: "one", two: "two"}),
	}}
	target := newTarget(t)
	m := &mirror.Mirror{Chain: c, Opener: c, Target: target}
	for _, want := range []mirror.Result{{Block: 9, Copied: 2, Bytes: 6}, {Block: 9, Present: 2}} {
		got, err := m.Copy(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Missing) != 1 || got.Missing[0].Digest != three || len(got.Missing[0].Reasons) != 2 ||
			!errors.Is(got.Missing[0].Reasons[0], storeclient.ErrDigest) {
			t.Errorf("missing: %v", got.Missing)
		}
		got.Missing = nil
		if got.Block != want.Block || got.Copied != want.Copied || got.Bytes != want.Bytes || got.Present != want.Present {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if _, err := target.Has(t.Context(), three); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the target has false bytes: %v", err)
	}
}

// TestPrivateAddress checks that a store in a private network that the chain names is not asked.
func TestPrivateAddress(t *testing.T) {
	t.Parallel()
	c, id := newChain(), message.Hash{1}
	c.policy = storeclient.PublicOnly
	one := c.name(id, 1, []byte("one"))
	c.projects[id] = &remotehelper.Project{ID: id, Stores: []string{files(t, map[message.Hash]string{one: "one"})}}
	got, err := (&mirror.Mirror{Chain: c, Opener: c, Target: newTarget(t)}).Copy(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if got.Copied != 0 || len(got.Missing) != 1 || !strings.Contains(got.Missing[0].Reasons[0].Error(), "private network") {
		t.Errorf("got %+v", got)
	}
}

// TestForkAndPrivate checks that a fork is copied with the content of its source, and that a mirror of public projects copies
// neither private projects nor the private source of a fork.
func TestForkAndPrivate(t *testing.T) {
	t.Parallel()
	c, source, fork := newChain(), message.Hash{1}, message.Hash{2}
	one, two := c.name(source, 1, []byte("one")), c.name(fork, 2, []byte("two"))
	stores := []string{files(t, map[message.Hash]string{one: "one", two: "two"})}
	c.projects[source] = &remotehelper.Project{ID: source, Stores: stores}
	c.projects[fork] = &remotehelper.Project{ID: fork, Stores: stores, ForkOf: source}
	copied := func(publicOnly bool) int {
		got, err := (&mirror.Mirror{Chain: c, Opener: c, Target: newTarget(t), PublicOnly: publicOnly}).Copy(t.Context(), fork)
		if err != nil {
			t.Fatal(err)
		}
		return got.Copied
	}
	if got := copied(true); got != 2 {
		t.Errorf("%d copied of a fork, want 2", got)
	}
	c.projects[source].Private = true
	if got := copied(true); got != 1 {
		t.Errorf("%d copied of a fork with a private source, want 1", got)
	}
	if got := copied(false); got != 2 {
		t.Errorf("%d copied of a fork with a private source and a key, want 2", got)
	}
	_, err := (&mirror.Mirror{Chain: c, Opener: c, Target: newTarget(t), PublicOnly: true}).Copy(t.Context(), source)
	if !errors.Is(err, mirror.ErrPrivate) {
		t.Errorf("a private project: %v", err)
	}
}

// TestReplaced checks that content that no store has is not missing if a later git bundle has everything.
func TestReplaced(t *testing.T) {
	t.Parallel()
	bundle := func(ref string, prerequisites ...string) string {
		id := strings.Repeat("a", 40)
		text, err := gitbundle.Header{
			Format: gitbundle.SHA1, Prerequisites: prerequisites, Refs: []gitbundle.Ref{{Name: ref, ID: id}},
		}.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(bytes.Clone(text)) + "PACK"
	}
	for name, test := range map[string]struct {
		later    string
		replaced bool
	}{
		"everything":               {bundle("refs/heads/main"), true},
		"builds on earlier ones":   {bundle("refs/heads/main", strings.Repeat("b", 40)), false},
		"only another branch":      {bundle("refs/heads/pages"), false},
		"not a git bundle":         {"something", false},
		"nothing at the store":     {"", false},
		"a line that never ends  ": {"# v2 git bundle\n" + strings.Repeat("x", 1<<20), false},
	} {
		c, id := newChain(), message.Hash{1}
		earlier := c.name(id, 1, []byte("deleted"))
		content := map[message.Hash]string{}
		if later := c.name(id, 2, []byte(test.later)); test.later != "" {
			content[later] = test.later
		}
		newest := c.name(id, 3, []byte("the newest, lost"))
		c.projects[id] = &remotehelper.Project{ID: id, Stores: []string{files(t, content)}}
		got, err := (&mirror.Mirror{Chain: c, Opener: c, Target: newTarget(t)}).Copy(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var missing []message.Hash
		for _, one := range got.Missing {
			missing = append(missing, one.Digest)
		}
		if test.replaced != (got.Replaced == 1) || test.replaced != (len(missing) == 1 && missing[0] == newest) {
			t.Errorf("%s: %d replaced, missing %v, of %s and %s", name, got.Replaced, missing, earlier, newest)
		}
	}
}
