package push_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/node/nodetest"
	"makechain/internal/push"
	"makechain/message"
)

// importer writes streams for git fast-import.
type importer struct {
	stream strings.Builder
	mark   int
}

func (w *importer) commit(branch, author, text string, parents ...int) int {
	w.mark++
	if len(parents) == 0 {
		fmt.Fprintf(&w.stream, "reset refs/heads/%s\n\n", branch)
	}
	fmt.Fprintf(&w.stream, "commit refs/heads/%s\nmark :%d\nauthor %s\ncommitter C <c@d> 1 +0000\ndata %d\n%s", branch, w.mark, author, len(text), text)
	for i, parent := range parents {
		fmt.Fprintf(&w.stream, "%s :%d\n", map[bool]string{true: "from", false: "merge"}[i == 0], parent)
	}
	w.stream.WriteString("\n")
	return w.mark
}

// TestWideMerges pushes commits with the maximum number of parents, of which a thousand do not fit into a message. It
// checks that a commit with one parent more is refused before anything is sent.
//
// Rules: P2.8, P5/COMMIT_BUNDLE.
func TestWideMerges(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("pushes a large graph")
	}
	s := newFixture(t)
	made := gittest.Init(t)
	w := &importer{}
	var roots []int
	for i := range message.MaxParents + 1 {
		roots = append(roots, w.commit(fmt.Sprintf("root-%d", i), "A <a@b> 1 +0000", fmt.Sprint("root ", i)))
	}
	for i := range 600 {
		last := w.commit("wide", fmt.Sprintf("A <a@b> %d +0000", i), strings.Repeat("t", 200), roots[1:]...)
		roots[1] = last
	}
	w.commit("wider", "A <a@b> 1 +0000", "one parent too many", roots...)
	made.Feed(t, []byte(w.stream.String()), "fast-import", "--quiet", "--force")
	_, err := s.push(t, made).Run(t.Context(), push.Request{Refs: []push.Ref{branch(t, made, "wide"), branch(t, made, "wider")}})
	var wide *push.TooManyParentsError
	if !errors.As(err, &wide) || wide.Commit != commitOf(t, made, "wider") || len(s.commits(t)) != 0 {
		t.Errorf("65 parents: %v, %d commits", err, len(s.commits(t)))
	}
	mustRun(t, s.push(t, made), push.Request{Refs: []push.Ref{branch(t, made, "wide")}})
	s.agrees(t, made, "wide")
	if bundles := len(s.sent(t, pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE)); bundles != 2 {
		t.Errorf("%d bundles", bundles)
	}
}

// TestUnusualCommits checks the metadata of commits with long titles, titles that are not UTF-8 and dates out of range.
//
// Rules: P5/COMMIT_BUNDLE.
func TestUnusualCommits(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	made := gittest.Init(t)
	long := strings.Repeat("ä", 150)
	w := &importer{}
	last := 0
	for _, c := range []struct{ author, text string }{
		{"A <a@b> 4294967295 +0000", long + "\n\nbody"},
		{"A <a@b> 4294967296 +0000", "k\xfcrzer"},
		{" <> 0 +0000", ""},
	} {
		parents := []int{last}
		if last == 0 {
			parents = nil
		}
		last = w.commit("main", c.author, c.text, parents...)
	}
	made.Feed(t, []byte(w.stream.String()), "fast-import", "--quiet")
	mustRun(t, s.push(t, made), push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	stored := s.commits(t)
	owner := s.account.Address()
	for i, want := range []struct {
		title, text string
		seconds     uint32
	}{
		{"", "", 0},
		{"k\ufffdrzer", "k\xfcrzer", 4294967295},
		{strings.Repeat("ä", 98) + "…", long + "\n\nbody", 4294967295},
	} {
		got := stored[made.Git(t, "rev-parse", fmt.Sprintf("main~%d", i))]
		digest := blake3.Sum256([]byte(want.text))
		if got.GetTitle() != want.title || got.GetAuthorTimestamp() != want.seconds ||
			string(got.GetMessageHash()) != string(digest[:]) || string(got.GetAuthorAddress()) != string(owner[:]) {
			t.Errorf("main~%d is %v", i, got)
		}
	}
}

// TestShallowClone checks that a push from a shallow clone is refused while the chain lacks the missing parents, and
// succeeds once the chain has them.
func TestShallowClone(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	made := gittest.Init(t)
	for i := range 5 {
		made.Commit(t, fmt.Sprint("commit ", i))
	}
	clone := made.Clone(t, "--depth=2")
	clone.Commit(t, "on top")
	request := push.Request{Refs: []push.Ref{branch(t, clone, "main")}}
	_, err := s.push(t, clone).Run(t.Context(), request)
	var shallow *push.ShallowError
	if !errors.As(err, &shallow) || shallow.Parent != commitOf(t, made, "main~2") || len(s.commits(t)) != 0 {
		t.Errorf("shallow: %v", err)
	}
	mustRun(t, s.push(t, made), push.Request{Refs: []push.Ref{branchAt(t, made, "base", "main~3")}})
	if _, err = s.push(t, clone).Run(t.Context(), request); !errors.As(err, &shallow) {
		t.Errorf("shallow: %v", err)
	}
	mustRun(t, s.push(t, made), push.Request{Refs: []push.Ref{branchAt(t, made, "base", "main~2")}})
	if plan := mustRun(t, s.push(t, clone), request); plan.Commits != 3 {
		t.Errorf("sent %d commits", plan.Commits)
	}
	if got := len(s.commits(t)); got != 6 {
		t.Errorf("the chain has %d commits", got)
	}
	made.Git(t, "commit", "--quiet", "--allow-empty", "--amend", "--message=another")
	mustRun(t, s.push(t, made), push.Request{Force: true, Refs: []push.Ref{branch(t, made, "main")}})
	var not *push.NonFastForwardError
	if _, err = s.push(t, clone).Run(t.Context(), request); !errors.As(err, &not) || !not.Shallow || not.IsLocal {
		t.Errorf("not a fast-forward: %v", err)
	}
}

// TestFork checks that a push to a fork sends only commits after the forked one, and older history when a branch starts
// there.
//
// Rules: P9.5.
func TestFork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("pushes two repositories")
	}
	s := newFixture(t)
	made := gittest.Init(t)
	for i := range 6 {
		made.Commit(t, fmt.Sprint("commit ", i))
	}
	mustRun(t, s.push(t, made), push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	fork := s.account.Sign(message.Fork(s.project, commitOf(t, made, "main"), "fork", pb.Visibility_VISIBILITY_PUBLIC))
	s.Submit(t, fork)
	s.MustCommit(t, fork)
	s.project = fork.Hash
	made.Commit(t, "in the fork")
	if plan := mustRun(t, s.push(t, made), push.Request{Refs: []push.Ref{branch(t, made, "main")}}); plan.Commits != 1 || len(s.commits(t)) != 2 {
		t.Errorf("sent %d commits, the fork has %d", plan.Commits, len(s.commits(t)))
	}
	made.Git(t, "checkout", "--quiet", "-b", "side", "main~3")
	made.Commit(t, "from before the fork")
	mustRun(t, s.push(t, made), push.Request{Refs: []push.Ref{branch(t, made, "side")}})
	stored := s.commits(t)
	for id := range strings.FieldsSeq(made.Git(t, "rev-list", "side")) {
		if stored[id] == nil {
			t.Errorf("the fork lacks %s", id)
		}
	}
	s.sentOnce(t)
}

// TestPlan checks that Plan returns the changes and sends nothing.
func TestPlan(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	made := gittest.Init(t)
	made.Commit(t, "one")
	plan, err := s.push(t, made).Plan(t.Context(), push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	if err != nil || plan.Commits != 1 || len(plan.Updates) != 1 || plan.Updates[0].Action != push.Create {
		t.Errorf("planned %+v, %v", plan, err)
	}
	if len(s.refs(t)) != 0 || len(s.commits(t)) != 0 {
		t.Error("Plan changed the project")
	}
	if _, err := gitid.Parse(made.Git(t, "rev-parse", "main")); err != nil {
		t.Error(err)
	}
	nodetest.MustFail(t, s.GetRef, &pb.GetRefRequest{ProjectId: s.project[:], RefName: []byte("refs/heads/main")}, 5)
}
