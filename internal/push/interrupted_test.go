package push_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/push"
)

// TestInterrupted interrupts pushes at random moments and repeats them until one completes. It checks that after every
// interruption each ref points at a stored commit, that in the end all commits are stored, and that at most one bundle per
// interruption was sent twice: the one that was in transit.
//
// Rules: P9.3, P9.4.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("interrupts pushes")
	}
	s := newFixture(t)
	interrupted := 0
	for seed := range uint64(8) {
		made := gittest.Init(t)
		made.Grow(t, gittest.Shape{Seed: 100 + seed, Commits: 2_500, Lines: 4})
		name := fmt.Sprintf("main-%d", seed)
		request := push.Request{Refs: []push.Ref{branchAt(t, made, name, "main")}}
		for limit := 50 * time.Millisecond; ; limit += limit / 2 {
			ctx, cancel := context.WithTimeout(t.Context(), rand.N(limit))
			_, err := s.push(t, made).Run(ctx, request)
			cancel()
			s.checkRefs(t)
			if err == nil {
				break
			}
			if !errors.Is(err, context.DeadlineExceeded) && connect.CodeOf(err) != connect.CodeDeadlineExceeded {
				t.Fatalf("seed %d: %v", seed, err)
			}
			interrupted++
		}
		stored := s.commits(t)
		for id := range strings.FieldsSeq(made.Git(t, "rev-list", "main")) {
			if stored[id] == nil {
				t.Fatalf("seed %d: the chain lacks %s", seed, id)
			}
		}
		if got, want := s.refs(t)[name], made.Git(t, "rev-parse", "main"); got != want {
			t.Errorf("seed %d: the branch is at %s, want %s", seed, got, want)
		}
	}
	again := s.sentAgain(t)
	t.Logf("%d pushes were interrupted, %d bundles sent again", interrupted, again)
	if interrupted < 8 || again > interrupted {
		t.Errorf("%d pushes were interrupted, and %d bundles sent again", interrupted, again)
	}
}

// checkRefs checks that every ref points at a stored commit.
func (s *fixture) checkRefs(t *testing.T) {
	t.Helper()
	for name, at := range s.refs(t) {
		hash, err := gitid.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.chain.GetCommit(t.Context(), connect.NewRequest(&pb.GetCommitRequest{ProjectId: s.project[:], CommitHash: hash[:]})); err != nil {
			t.Fatalf("ref %s points at %s: %v", name, at, err)
		}
	}
}

// TestLongHistoryInterrupted interrupts a push that has temporary refs. It checks that the next push resumes it and
// deletes the temporary refs.
//
// Rules: P8.7.
func TestLongHistoryInterrupted(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("interrupts pushes")
	}
	s := newFixture(t)
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 6, Commits: 10_500, Lines: 5})
	request := push.Request{Refs: []push.Ref{branch(t, made, "main")}}
	for _, stopAt := range []int{2_000, 5_000, 2_000} {
		ctx, cancel := context.WithCancel(t.Context())
		p := s.push(t, made)
		p.MaxPending = 1 // one message at a time
		p.Progress = func(committed, _ int) {
			if committed >= stopAt {
				cancel()
			}
		}
		if _, err := p.Run(ctx, request); !errors.Is(err, context.Canceled) {
			t.Fatalf("ended with %v", err)
		}
		s.checkRefs(t)
		temporary := 0
		for name := range s.refs(t) {
			if strings.HasPrefix(name, push.TemporaryRefPrefix) {
				temporary++
			}
		}
		if temporary == 0 {
			t.Error("there are no temporary refs")
		}
	}
	plan := mustRun(t, s.push(t, made), request)
	if plan.Commits > 2_000 {
		t.Errorf("%d commits remained after 9,000 of 10,500", plan.Commits)
	}
	s.agrees(t, made, "main")
	s.sentOnce(t)
	if refs := s.refs(t); len(refs) != 1 || refs["main"] == "" {
		t.Errorf("refs are %v", refs)
	}
}

// TestLostJournal checks that an interrupted push whose journal is lost completes when it is repeated.
func TestLostJournal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("interrupts pushes")
	}
	s := newFixture(t)
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 8, Commits: 2_500, Lines: 3})
	request := push.Request{Refs: []push.Ref{branch(t, made, "main")}}
	ctx, cancel := context.WithCancel(t.Context())
	p := s.push(t, made)
	p.Progress = func(int, int) { cancel() }
	if _, err := p.Run(ctx, request); !errors.Is(err, context.Canceled) {
		t.Fatalf("ended with %v", err)
	}
	again := s.push(t, made)
	again.Journal = push.NewJournal(t.TempDir() + "/another")
	mustRun(t, again, request)
	s.agrees(t, made, "main")
	if bundles := len(s.sent(t, pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE)); bundles > 4 {
		t.Errorf("%d bundles were sent instead of three", bundles)
	}
}
