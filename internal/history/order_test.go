package history

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/internal/gitrepo/gittest"
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

// TestOrder compares the order with git's, for histories with equal and decreasing dates, criss-cross and octopus merges
// and several roots.
func TestOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			made := gittest.Init(t)
			made.Grow(t, gittest.Shape{Seed: seed, Commits: 700, Lines: 2 + int(seed)})
			want := strings.Fields(made.Git(t, "log", "--author-date-order", "--format=%H", "main"))
			whole := load(t, made)
			for _, graph := range []*Graph{whole, inPages(whole, 1), inPages(whole, 7), inPages(whole, 200)} {
				var got []string
				err := graph.Walk(func(commit *pb.CommitMeta) error {
					got = append(got, gitid.String(message.Hash(commit.GetHash())))
					return nil
				})
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%d commits, git has %d in another order: %v", len(got), len(want), err)
				}
			}
		})
	}
}

// inPages returns a graph that reads the commits of another one in pages, by descending generation as the node does.
func inPages(whole *Graph, size int) *Graph {
	generations := map[message.Hash]int{}
	var generation func(message.Hash) int
	generation = func(hash message.Hash) int {
		if generations[hash] == 0 {
			highest := 0
			for _, parent := range whole.commits[hash].GetParents() {
				highest = max(highest, generation(message.Hash(parent)))
			}
			generations[hash] = highest + 1
		}
		return generations[hash]
	}
	var commits []*pb.CommitMeta
	for hash, commit := range whole.commits {
		generation(hash)
		commits = append(commits, commit)
	}
	slices.SortFunc(commits, func(a, b *pb.CommitMeta) int {
		return cmp.Or(cmp.Compare(generations[message.Hash(b.GetHash())], generations[message.Hash(a.GetHash())]), bytes.Compare(a.GetHash(), b.GetHash()))
	})
	g := &Graph{tip: whole.tip, commits: map[message.Hash]*pb.CommitMeta{whole.tip: commits[0]}}
	commits = commits[1:]
	g.next = func() ([]*pb.CommitMeta, error) {
		page := commits[:min(size, len(commits))]
		if commits = commits[len(page):]; len(commits) == 0 {
			g.next = nil
		}
		return g.add(page...)
	}
	return g
}

// load returns the graph of a repository, as it would be read from the chain.
func load(t *testing.T, made *gittest.Repo) *Graph {
	t.Helper()
	repo, err := gitrepo.Open(t.Context(), made.Dir)
	if err != nil {
		t.Fatal(err)
	}
	tip, err := repo.Resolve(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	list, err := repo.List(t.Context(), gitrepo.Range{Include: []message.Hash{tip}})
	if err != nil {
		t.Fatal(err)
	}
	g := &Graph{tip: tip, commits: map[message.Hash]*pb.CommitMeta{}}
	err = repo.ReadCommits(t.Context(), list, func(commit *gitrepo.Commit) error {
		data := message.CommitBundle(message.Hash{}, message.Content{}, push.CommitMetadata(commit, message.Address{}))
		_, err := g.add(data.GetCommitBundle().GetCommits()...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestMissingParents walks a graph with missing parents, and checks that Walk stops at an error.
func TestMissingParents(t *testing.T) {
	t.Parallel()
	hash := func(b byte) []byte { return append([]byte{b}, make([]byte, 31)...) }
	g := &Graph{tip: message.Hash(hash(4)), commits: map[message.Hash]*pb.CommitMeta{}}
	_, err := g.add(
		&pb.CommitMeta{Hash: hash(2), Parents: [][]byte{hash(1)}},
		&pb.CommitMeta{Hash: hash(3), Parents: [][]byte{hash(1), hash(9)}},
		&pb.CommitMeta{Hash: hash(4), Parents: [][]byte{hash(2), hash(3), hash(2)}},
		&pb.CommitMeta{Hash: hash(7), Parents: [][]byte{hash(8)}}, // not an ancestor
	)
	if err != nil {
		t.Fatal(err)
	}
	var order []byte
	if err := g.Walk(func(c *pb.CommitMeta) error { order = append(order, c.GetHash()[0]); return nil }); err != nil || string(order) != "\x04\x03\x02" {
		t.Errorf("order %v, %v", order, err)
	}
	if got := g.MissingParents(); got != 2 {
		t.Errorf("%d are missing", got)
	}
	stop := errors.New("stop")
	if err := g.Walk(func(*pb.CommitMeta) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("ended with %v", err)
	}
	if _, err := g.add(&pb.CommitMeta{Hash: []byte("short")}); err == nil {
		t.Error("a short hash was accepted")
	}
	if _, err := g.add(&pb.CommitMeta{Hash: hash(5), Parents: [][]byte{nil}}); err == nil {
		t.Error("a short parent was accepted")
	}
}
