package push_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/node/nodetest"
	"makechain/internal/push"
	"makechain/message"
)

func TestMain(m *testing.M) {
	if err := gittest.Hermetic(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// fixture is a chain with an account and a project.
type fixture struct {
	*nodetest.Node

	chain   *client.Client
	account *nodetest.Account
	project message.Hash
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	s := &fixture{Node: nodetest.Start(t, t.TempDir()), account: nodetest.NewAccount(t)}
	s.Register(s.account, 10, "alice")
	created := s.account.Sign(message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	s.Submit(t, created)
	s.MustCommit(t, created)
	s.project = created.Hash
	chain, err := client.New(s.GRPCAddr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(chain.Close)
	s.chain = chain
	return s
}

// push returns a push of a repository by the account.
func (s *fixture) push(t *testing.T, made *gittest.Repo) *push.Push {
	t.Helper()
	repo, err := gitrepo.Open(t.Context(), made.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return &push.Push{
		Repo: repo, Client: s.chain, Author: s.account.Author, Project: s.project,
		Journal: push.NewJournal(filepath.Join(made.Dir, "journal")), Now: s.account.Now,
	}
}

// branch returns a branch of a repository to push.
func branch(t *testing.T, made *gittest.Repo, name string) push.Ref {
	t.Helper()
	return branchAt(t, made, name, "refs/heads/"+name)
}

// branchAt returns a branch to push whose commit is that of a revision.
func branchAt(t *testing.T, made *gittest.Repo, name, revision string) push.Ref {
	t.Helper()
	return push.Ref{Name: gitrepo.BranchPrefix + name, Commit: commitOf(t, made, revision)}
}

func tag(t *testing.T, made *gittest.Repo, name string) push.Ref {
	t.Helper()
	return push.Ref{Name: gitrepo.TagPrefix + name, Type: pb.RefType_REF_TYPE_TAG, Commit: commitOf(t, made, "refs/tags/"+name)}
}

func commitOf(t *testing.T, made *gittest.Repo, revision string) message.Hash {
	t.Helper()
	commit, err := gitid.Parse(made.Git(t, "rev-parse", revision+"^{commit}"))
	if err != nil {
		t.Fatal(err)
	}
	return commit
}

func mustRun(t *testing.T, p *push.Push, request push.Request) *push.Plan {
	t.Helper()
	plan, err := p.Run(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// refs returns the git ids of the project's refs by their short names.
func (s *fixture) refs(t *testing.T) map[string]string {
	t.Helper()
	refs := map[string]string{}
	for _, ref := range nodetest.Call(t, s.ListRefs, &pb.ListRefsRequest{ProjectId: s.project[:], Limit: 200}).GetRefs() {
		refs[push.ShortRefName(string(ref.GetRefName()))] = gitid.String(message.Hash(ref.GetHash()))
	}
	return refs
}

// commits returns all commits of the project.
func (s *fixture) commits(t *testing.T) map[string]*pb.CommitMeta {
	t.Helper()
	commits := map[string]*pb.CommitMeta{}
	for cursor := []byte(nil); ; {
		page := nodetest.Call(t, s.ListCommits, &pb.ListCommitsRequest{ProjectId: s.project[:], Limit: 200, Cursor: cursor})
		for _, entry := range page.GetCommits() {
			commits[gitid.String(message.Hash(entry.GetCommit().GetHash()))] = entry.GetCommit()
		}
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			return commits
		}
	}
}

// sent returns the messages of a type for the project, newest first.
func (s *fixture) sent(t *testing.T, kind pb.MessageType) []*pb.Message {
	t.Helper()
	var messages []*pb.Message
	for cursor := []byte(nil); ; {
		answer := nodetest.Call(t, s.GetProjectActivity, &pb.GetProjectActivityRequest{
			ProjectId: s.project[:], Limit: 200, Types: []pb.MessageType{kind}, Cursor: cursor,
		})
		for _, entry := range answer.GetMessages() {
			messages = append(messages, entry.GetMessage())
		}
		if cursor = answer.GetNextCursor(); len(cursor) == 0 {
			return messages
		}
	}
}

// sentOnce checks that no commit is in two bundles.
func (s *fixture) sentOnce(t *testing.T) {
	t.Helper()
	if again := s.sentAgain(t); again > 0 {
		t.Errorf("%d bundles contain commits of other bundles", again)
	}
}

// sentAgain returns the number of bundles with commits of another bundle.
func (s *fixture) sentAgain(t *testing.T) int {
	t.Helper()
	seen, again := map[string]bool{}, 0
	for _, m := range s.sent(t, pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE) {
		repeated := false
		for _, commit := range m.GetData().GetCommitBundle().GetCommits() {
			repeated = repeated || seen[string(commit.GetHash())]
			seen[string(commit.GetHash())] = true
		}
		if repeated {
			again++
		}
	}
	return again
}

// agrees checks that the chain has the commits that are reachable from revisions of the repository, with the metadata
// that git prints.
func (s *fixture) agrees(t *testing.T, made *gittest.Repo, revisions ...string) {
	t.Helper()
	stored := s.commits(t)
	var got, want []string
	printed := made.Git(t, append([]string{"log", "--format=%H|%T|%P|%at|%s"}, revisions...)...)
	for line := range strings.SplitSeq(printed, "\n") {
		want = append(want, line)
		id, _, _ := strings.Cut(line, "|")
		got = append(got, describe(id, stored[id]))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("commit %d of %d is %q on the chain, %q in git", i, len(want), got[i], want[i])
		}
	}
	if len(stored) != len(slices.Compact(want)) {
		t.Errorf("the chain has %d commits, git %d", len(stored), len(want))
	}
}

func describe(id string, c *pb.CommitMeta) string {
	var parents []string
	for _, parent := range c.GetParents() {
		parents = append(parents, gitid.String(message.Hash(parent)))
	}
	tree := "-"
	if len(c.GetTreeRoot()) == len(message.Hash{}) {
		tree = gitid.String(message.Hash(c.GetTreeRoot()))
	}
	return fmt.Sprintf("%s|%s|%s|%d|%s", id, tree, strings.Join(parents, " "), c.GetAuthorTimestamp(), c.GetTitle())
}
