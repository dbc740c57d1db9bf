package push_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/gitbundle"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/push"
	"makechain/message"
)

// memoryStore is a store that has everything that was uploaded to it.
type memoryStore struct {
	repo    *gittest.Repo // a repository with the content of all uploads, to verify them
	bundles map[message.Hash][]byte
	// refuseAfter refuses bundles with prerequisites when it is set; fail is returned by Confirm.
	refusePrerequisites bool
	fail                error
}

func newMemoryStore(t *testing.T) *memoryStore {
	t.Helper()
	return &memoryStore{repo: gittest.Init(t, "--bare"), bundles: map[message.Hash][]byte{}}
}

func (s *memoryStore) Upload(_ context.Context, _, digest message.Hash, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	header, err := gitbundle.Parse(bufio.NewReader(bytes.NewReader(content)), gitbundle.DefaultLimits())
	if err != nil {
		return err
	}
	if s.refusePrerequisites && len(header.Prerequisites) > 0 {
		return fmt.Errorf("%w: it builds on unknown commits", push.ErrRefusedContent)
	}
	s.bundles[digest] = content
	return nil
}

func (s *memoryStore) Confirm(_ context.Context, _ message.Hash, digests []message.Hash) error {
	for _, digest := range digests {
		if s.bundles[digest] == nil {
			return fmt.Errorf("%s is not there", digest)
		}
	}
	return s.fail
}

// unbundle adds the bundles to the repository of the store and checks that it then has some objects and all that they reach.
func (s *memoryStore) unbundle(t *testing.T, order []message.Hash, made *gittest.Repo, revisions ...string) {
	t.Helper()
	for _, digest := range order {
		content := s.bundles[digest]
		header, err := gitbundle.Parse(bufio.NewReader(bytes.NewReader(content)), gitbundle.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		s.repo.Feed(t, content[header.Size:], "index-pack", "--strict", "--stdin", "--fix-thin")
	}
	for _, revision := range revisions {
		s.repo.Git(t, "rev-list", "--objects", "--quiet", made.Git(t, "rev-parse", revision))
	}
}

// named returns the digests that messages of the project name, in their order.
func (s *fixture) named(t *testing.T) []message.Hash {
	t.Helper()
	var digests []message.Hash
	for _, m := range s.sent(t, pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE) {
		digests = append(digests, message.Hash(m.GetData().GetCommitBundle().GetContentDigest()))
	}
	for _, m := range s.sent(t, pb.MessageType_MESSAGE_TYPE_REF_UPDATE) {
		if digest := m.GetData().GetRefUpdate().GetContentDigest(); len(digest) > 0 {
			digests = append([]message.Hash{message.Hash(digest)}, digests...)
		}
	}
	slices.Reverse(digests)
	return digests
}

// TestContent pushes twice and then only a tag. All content is uploaded and named, and nothing is uploaded again.
func TestContent(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	store := newMemoryStore(t)
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 3, Commits: 40, Lines: 3})
	p := s.push(t, made)
	p.Uploader = store
	mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	made.Commit(t, "one more")
	mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	annotated := tag(t, made, "annotated")
	annotated.TagObject, _ = gitid.Parse(made.Git(t, "rev-parse", "refs/tags/annotated"))
	mustRun(t, p, push.Request{Refs: []push.Ref{annotated, branch(t, made, "line-0")}})
	named := s.named(t)
	if len(store.bundles) != 3 || len(named) != 3 {
		t.Fatalf("%d git bundles were uploaded and %d named, want 3", len(store.bundles), len(named))
	}
	if size := len(store.bundles[named[1]]); size > 1000 {
		t.Errorf("the content of one empty commit has %d bytes", size)
	}
	store.unbundle(t, named, made, "main", "refs/tags/annotated", "line-0")
}

// TestContentSplit pushes more than fits into one git bundle.
func TestContentSplit(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	store := newMemoryStore(t)
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 4, Commits: 60, Lines: 4})
	p := s.push(t, made)
	p.Uploader, p.MaxContent = store, 6000
	mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	named := s.named(t)
	if len(named) < 3 || len(named) != len(store.bundles) {
		t.Errorf("%d git bundles were uploaded and %d named", len(store.bundles), len(named))
	}
	for digest, content := range store.bundles {
		if len(content) > 6000 {
			t.Errorf("git bundle %s has %d bytes", digest, len(content))
		}
	}
	store.unbundle(t, named, made, "main")
	s.agrees(t, made, "main")
	p.MaxContent = 10
	made.Commit(t, "too large")
	if _, err := p.Run(t.Context(), push.Request{Refs: []push.Ref{branch(t, made, "main")}}); err == nil || !strings.Contains(err.Error(), "objects of one commit") {
		t.Errorf("a commit that is too large: %v", err)
	}
}

// TestContentMissing pushes to a project whose earlier commits the stores do not have: everything is uploaded.
func TestContentMissing(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	store := newMemoryStore(t)
	store.refusePrerequisites = true
	made := gittest.Init(t)
	made.Commit(t, "without content")
	p := s.push(t, made)
	mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	p.Uploader = store
	made.Commit(t, "with content")
	mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	var named []message.Hash
	for digest := range store.bundles {
		named = append(named, digest)
	}
	store.unbundle(t, named, made, "main")
}

// TestContentInterrupted repeats a push that was interrupted between its commits and its refs. The content, which is the same
// again, is named by all means, also when there are more git bundles than refs.
func TestContentInterrupted(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	store := newMemoryStore(t)
	store.fail = errors.New("interrupted")
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 5, Commits: 60, Lines: 4})
	p := s.push(t, made)
	p.Uploader, p.MaxContent = store, 6000
	if _, err := p.Run(t.Context(), push.Request{Refs: []push.Ref{branch(t, made, "main")}}); !errors.Is(err, store.fail) {
		t.Fatal(err)
	}
	uploaded := len(store.bundles)
	store.fail = nil
	mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	if len(store.bundles) != uploaded {
		t.Errorf("%d git bundles after the first push and %d after the second", uploaded, len(store.bundles))
	}
	for digest := range store.bundles {
		if !slices.Contains(s.named(t), digest) {
			t.Errorf("git bundle %s is not named", digest)
		}
	}
	if refs := s.refs(t); len(refs) != 1 {
		t.Errorf("the refs are %v", refs)
	}
	s.sentOnce(t)
}

// TestExpected pushes a ref that someone else has updated since it was read.
func TestExpected(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	made := gittest.Init(t)
	first := made.Commit(t, "first")
	p := s.push(t, made)
	mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main")}, Expected: map[string]message.Hash{"refs/heads/main": {}}})
	made.Commit(t, "second")
	changed := (*push.ChangedError)(nil)
	request := push.Request{Refs: []push.Ref{branch(t, made, "main")}, Expected: map[string]message.Hash{"refs/heads/main": {}}}
	if _, err := p.Run(t.Context(), request); !errors.As(err, &changed) || changed.Name != "refs/heads/main" {
		t.Errorf("a ref that exists: %v", err)
	}
	request.Expected["refs/heads/main"], _ = gitid.Parse(first)
	mustRun(t, p, request)
	mustRun(t, p, request) // it has the new value
}
