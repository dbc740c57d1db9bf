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

// site is a chain with a person and a project.
type site struct {
	*nodetest.Node

	chain   *client.Client
	person  *nodetest.Account
	project message.Hash
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{Node: nodetest.Start(t, t.TempDir()), person: nodetest.NewAccount(t)}
	s.Register(s.person, 10, "alice")
	created := s.person.Sign(message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
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

// push prepares a push of a repository by the person of the site.
func (s *site) push(t *testing.T, made *gittest.Repo) *push.Push {
	t.Helper()
	repo, err := gitrepo.Open(t.Context(), made.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return &push.Push{
		Repo: repo, Client: s.chain, Author: s.person.Author, Project: s.project,
		Journal: push.NewJournal(filepath.Join(made.Dir, "journal")), Now: s.person.Now,
	}
}

// branch is a branch of a repository as it shall be on the chain.
func branch(t *testing.T, made *gittest.Repo, name string) push.Ref {
	t.Helper()
	return branchAt(t, made, name, "refs/heads/"+name)
}

// branchAt is a branch that shall be where a revision is.
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
	commit, err := gitrepo.FromID(made.Git(t, "rev-parse", revision+"^{commit}"))
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

// refs lists the refs of the project by their labels, with git's ids of their commits.
func (s *site) refs(t *testing.T) map[string]string {
	t.Helper()
	refs := map[string]string{}
	for _, ref := range nodetest.Call(t, s.ListRefs, &pb.ListRefsRequest{ProjectId: s.project[:], Limit: 200}).GetRefs() {
		refs[push.ShortRefName(string(ref.GetRefName()))] = gitrepo.ToID(message.Hash(ref.GetHash()))
	}
	return refs
}

// commits reads all commits of the project.
func (s *site) commits(t *testing.T) map[string]*pb.CommitMeta {
	t.Helper()
	commits := map[string]*pb.CommitMeta{}
	for cursor := []byte(nil); ; {
		page := nodetest.Call(t, s.ListCommits, &pb.ListCommitsRequest{ProjectId: s.project[:], Limit: 200, Cursor: cursor})
		for _, entry := range page.GetCommits() {
			commits[gitrepo.ToID(message.Hash(entry.GetCommit().GetHash()))] = entry.GetCommit()
		}
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			return commits
		}
	}
}

// sent reads the messages of a type that changed the project, newest first.
func (s *site) sent(t *testing.T, kind pb.MessageType) []*pb.Message {
	t.Helper()
	var messages []*pb.Message
	answer := nodetest.Call(t, s.GetProjectActivity, &pb.GetProjectActivityRequest{
		ProjectId: s.project[:], Limit: 200, Types: []pb.MessageType{kind},
	})
	for _, entry := range answer.GetMessages() {
		messages = append(messages, entry.GetMessage())
	}
	return messages
}

// sentOnce checks that no commit was brought by two bundles.
func (s *site) sentOnce(t *testing.T) {
	t.Helper()
	if again := s.sentAgain(t); again > 0 {
		t.Errorf("%d bundles brought commits that were there", again)
	}
}

// sentAgain counts the bundles that brought commits which another one had brought.
func (s *site) sentAgain(t *testing.T) int {
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

// agrees checks that the chain has the commits that revisions of the repository reach, and says of them what git says.
func (s *site) agrees(t *testing.T, made *gittest.Repo, revisions ...string) {
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
		parents = append(parents, gitrepo.ToID(message.Hash(parent)))
	}
	tree := "-"
	if len(c.GetTreeRoot()) == len(message.Hash{}) {
		tree = gitrepo.ToID(message.Hash(c.GetTreeRoot()))
	}
	return fmt.Sprintf("%s|%s|%s|%d|%s", id, tree, strings.Join(parents, " "), c.GetAuthorTimestamp(), c.GetTitle())
}
