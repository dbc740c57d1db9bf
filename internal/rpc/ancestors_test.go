package rpc

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
)

// graph is a commit graph in the rows of a project.
type graph struct {
	fataler
	*Service
	rows    *ledgertest.Rows
	project ident.Hash
	commits map[ident.Hash]*pb.CommitRow
}

func newGraph(t fataler) *graph {
	g := &graph{fataler: t, rows: ledgertest.NewRows(), project: ledgertest.Hash("project"), commits: map[ident.Hash]*pb.CommitRow{}}
	g.Service = serviceOf(g.rows)
	put(t, g.rows, schema.ProjectKey(g.project), &pb.ProjectRow{Status: pb.ProjectStatus_PROJECT_STATUS_ACTIVE})
	return g
}

// commit adds a commit whose generation follows from its parents, if they exist.
func (g *graph) commit(name string, parents ...ident.Hash) ident.Hash {
	g.Helper()
	row := &pb.CommitRow{Generation: 1, Title: name}
	for _, parent := range parents {
		row.Parents = append(row.Parents, parent[:])
		row.Generation = max(row.GetGeneration(), g.commits[parent].GetGeneration()+1)
	}
	hash := ledgertest.Hash(name)
	g.put(hash, row)
	return hash
}

func (g *graph) put(hash ident.Hash, row *pb.CommitRow) {
	g.Helper()
	g.commits[hash] = row
	put(g, g.rows, schema.CommitKey(g.project, hash), row)
}

// ancestors reads pages of the sizes that limit returns.
func (g *graph) ancestors(tip ident.Hash, limit func() uint32) (read []ident.Hash, err error) {
	req := &pb.GetCommitAncestorsRequest{ProjectId: g.project[:], CommitHash: tip[:]}
	for {
		req.Limit = limit()
		answer, err := g.GetCommitAncestors(context.Background(), connect.NewRequest(req))
		if err != nil {
			return read, err
		}
		for _, commit := range answer.Msg.GetCommits() {
			read = append(read, ident.Hash(commit.GetHash()))
		}
		if req.Cursor = answer.Msg.GetNextCursor(); req.Cursor == nil {
			return read, nil
		}
	}
}

// reachable returns a commit and its ancestors in the order of the list.
func (g *graph) reachable(tip ident.Hash) []ident.Hash {
	seen := map[ident.Hash]bool{tip: true}
	all := []ident.Hash{tip}
	for i := 0; i < len(all); i++ {
		for _, parent := range g.commits[all[i]].GetParents() {
			if hash := ident.Hash(parent); !seen[hash] && g.commits[hash] != nil {
				seen[hash], all = true, append(all, hash)
			}
		}
	}
	slices.SortFunc(all, func(a, b ident.Hash) int {
		return cmp.Or(cmp.Compare(g.commits[b].GetGeneration(), g.commits[a].GetGeneration()), bytes.Compare(a[:], b[:]))
	})
	return all
}

// TestAncestorPages checks random graphs with missing parents, in pages of random sizes, against a search of the whole
// graph, while commits are added.
//
// Rules: P10.8.
func TestAncestorPages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := newGraph(t)
		all := []ident.Hash{ledgertest.Hash("missing")}
		for i := range rapid.IntRange(1, 60).Draw(t, "commits") {
			parents := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, min(4, len(all)), rapid.ID).Draw(t, "parents")
			all = append(all, g.commit(fmt.Sprintf("commit %d", i), parents...))
		}
		tip, added := rapid.SampledFrom(all[1:]).Draw(t, "tip"), 0
		want := g.reachable(tip)
		got, err := g.ancestors(tip, func() uint32 {
			added++
			g.commit(fmt.Sprintf("added %d", added), tip)
			return rapid.Uint32Range(1, 9).Draw(t, "limit")
		})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("ancestors %v, want %v; %v", got, want, err)
		}
	})
}

// TestAncestorCycle checks that a cycle, which can exist in a fork, ends the list.
func TestAncestorCycle(t *testing.T) {
	t.Parallel()
	g := newGraph(t)
	one, two := ledgertest.Hash("one"), ledgertest.Hash("two")
	g.put(one, &pb.CommitRow{Generation: 3, Parents: [][]byte{two[:]}})
	g.put(two, &pb.CommitRow{Generation: 4, Parents: [][]byte{one[:]}})
	for tip, want := range map[ident.Hash][]ident.Hash{one: {one}, two: {two, one}} {
		if got, err := g.ancestors(tip, func() uint32 { return 1 }); err != nil || !slices.Equal(got, want) {
			t.Errorf("ancestors of %s: %v, want %v; %v", tip, got, want, err)
		}
	}
}

// TestMaxFrontier checks that a history with more open lines than a cursor holds is refused, at the same commit for all
// limits, and that one with as many is listed.
func TestMaxFrontier(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes many commits")
	}
	for _, c := range []struct {
		roots   int
		refused bool
	}{{MaxFrontier, false}, {MaxFrontier + 1, true}} {
		g := newGraph(t)
		var roots []ident.Hash
		for i := range c.roots {
			roots = append(roots, g.commit(fmt.Sprintf("root %d", i)))
		}
		tip := roots[0]
		for i, parents := range slices.Collect(slices.Chunk(roots, 50)) {
			tip = g.commit(fmt.Sprintf("merge %d", i), append(slices.Clone(parents), tip)...)
		}
		total := len(g.commits)
		for _, limit := range []uint32{1, 7, 200} {
			got, err := g.ancestors(tip, func() uint32 { return limit })
			switch {
			case c.refused && (connect.CodeOf(err) != connect.CodeOutOfRange || !strings.Contains(err.Error(), "ListCommits") || len(got) != c.roots/50):
				t.Errorf("limit %d: %d commits, then %v", limit, len(got), err)
			case !c.refused && (err != nil || len(got) != total):
				t.Errorf("limit %d: %d of %d commits; %v", limit, len(got), total, err)
			}
		}
	}
}

// TestAncestorWork checks that a page looks up a limited number of commits.
func TestAncestorWork(t *testing.T) {
	t.Parallel()
	g := newGraph(t)
	tip := g.commit("root")
	const length, missing = 400, 63
	for i := range length {
		parents := []ident.Hash{tip}
		for j := range missing {
			parents = append(parents, ledgertest.Hash(fmt.Sprintf("missing %d %d", i, j)))
		}
		tip = g.commit(fmt.Sprintf("commit %d", i), parents...)
	}
	reads := 0
	g.Latest = func() Snapshot { return countedGets{rows{Rows: g.rows}, &reads} }
	pages := 0
	got, err := g.ancestors(tip, func() uint32 {
		if reads > MaxRowsScanned+missing+10 {
			t.Errorf("a page reads %d rows", reads)
		}
		reads = 0
		pages++
		return 200
	})
	if err != nil || len(got) != length+1 || pages < 3 {
		t.Errorf("%d commits on %d pages; %v", len(got), pages, err)
	}
}

// countedGets counts the rows that are looked up.
type countedGets struct {
	rows
	reads *int
}

func (c countedGets) Get(key []byte) ([]byte, error) {
	*c.reads++
	return c.rows.Get(key)
}
