package rpc

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/proof"
)

// rows is an in-memory state without a tree.
type rows struct {
	proof.Tree
	*ledgertest.Rows
}

func (rows) Neighbours([]byte) (left, right []byte, err error) { return nil, nil, nil }
func (rows) Height() uint64                                    { return 1 }
func (rows) Close() error                                      { return nil }

func serviceOf(state *ledgertest.Rows) *Service {
	return NewService(Deps{
		Latest: func() Snapshot { return rows{Rows: state} },
		Now:    func() time.Time { return time.Unix(ledgertest.Start, 0) },
	})
}

// TestPagesDuringChanges checks that refs which exist throughout are listed exactly once and in order while other refs are
// added and deleted between pages.
func TestPagesDuringChanges(t *testing.T) {
	t.Parallel()
	project := ledgertest.Hash("project")
	name := rapid.Map(rapid.IntRange(0, 60), func(i int) string { return strings.Repeat("n", i/10+1) + strconv.Itoa(i) })
	rapid.Check(t, func(t *rapid.T) {
		state := ledgertest.NewRows()
		service := serviceOf(state)
		put(t, state, schema.ProjectKey(project), &pb.ProjectRow{Status: pb.ProjectStatus_PROJECT_STATUS_ACTIVE})
		there := map[string]bool{} // now
		for _, n := range rapid.SliceOf(name).Draw(t, "names") {
			put(t, state, schema.RefKey(project, []byte(n)), &pb.RefRow{Nonce: 1})
			there[n] = true
		}
		always := map[string]bool{}
		for n := range there {
			always[n] = true
		}
		var read []string
		req := &pb.ListRefsRequest{ProjectId: project[:], Limit: rapid.Uint32Range(1, 5).Draw(t, "limit")}
		for {
			answer, err := service.ListRefs(context.Background(), connect.NewRequest(req))
			if err != nil {
				t.Fatal(err)
			}
			for _, ref := range answer.Msg.GetRefs() {
				read = append(read, string(ref.GetRefName()))
			}
			if req.Cursor = answer.Msg.GetNextCursor(); req.Cursor == nil {
				break
			}
			for _, n := range rapid.SliceOfN(name, 0, 5).Draw(t, "changes") {
				key := schema.RefKey(project, []byte(n))
				if there[n] {
					remove(t, state, key)
				} else {
					put(t, state, key, &pb.RefRow{Nonce: 2})
				}
				there[n], always[n] = !there[n], false
			}
		}
		if !slices.IsSorted(read) || len(slices.Compact(slices.Clone(read))) != len(read) {
			t.Fatalf("read %q: out of order or twice", read)
		}
		for n, stayed := range always {
			if stayed && !slices.Contains(read, n) {
				t.Fatalf("%q was there all the time, read were %q", n, read)
			}
		}
	})
}

type fataler interface {
	Helper()
	Fatal(args ...any)
}

func put[T any, P rowOf[T]](t fataler, state *ledgertest.Rows, key []byte, row P) {
	t.Helper()
	if err := state.Put(key, row); err != nil {
		t.Fatal(err)
	}
}

func remove(t fataler, state *ledgertest.Rows, key []byte) {
	t.Helper()
	if err := state.Apply([]schema.Change{{Key: key, Existed: true}}); err != nil {
		t.Fatal(err)
	}
}

// TestMaxRowsScanned checks that a list which skips nearly all rows reads at most MaxRowsScanned per call, and that its
// cursors reach the end.
func TestMaxRowsScanned(t *testing.T) {
	t.Parallel()
	state := ledgertest.NewRows()
	owner := ledgertest.Hash("owner")
	const removed = 2*MaxRowsScanned + 500
	for i := range removed {
		id := ident.Hash(fmt.Appendf(nil, "%032d", i))
		put(t, state, schema.ProjectKey(id), &pb.ProjectRow{OwnerAddress: owner[:20], Status: pb.ProjectStatus_PROJECT_STATUS_REMOVED})
	}
	last := ident.Hash(bytes.Repeat([]byte{'z'}, 32))
	put(t, state, schema.ProjectKey(last), &pb.ProjectRow{OwnerAddress: owner[:20], Status: pb.ProjectStatus_PROJECT_STATUS_ACTIVE})
	service, visited := serviceOf(state), 0
	service.Latest = func() Snapshot { return counted{rows{Rows: state}, &visited} }
	var sizes []int
	req := &pb.ListProjectsRequest{}
	for {
		before := visited
		answer, err := service.ListProjects(context.Background(), connect.NewRequest(req))
		if err != nil {
			t.Fatal(err)
		}
		if visited-before > MaxRowsScanned+1 {
			t.Errorf("a call reads %d rows", visited-before)
		}
		sizes = append(sizes, len(answer.Msg.GetProjects()))
		if req.Cursor = answer.Msg.GetNextCursor(); req.Cursor == nil {
			break
		}
	}
	if !slices.Equal(sizes, []int{0, 0, 1}) {
		t.Errorf("pages of %v projects, want two empty ones and one project", sizes)
	}
}

// counted counts the rows that are read.
type counted struct {
	rows
	visited *int
}

func (c counted) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	return c.rows.Scan(lower, upper, func(key, value []byte) bool {
		*c.visited++
		return visit(key, value)
	})
}

// TestMaxResponseBytes checks the pages of items of which a few fill a response.
func TestMaxResponseBytes(t *testing.T) {
	t.Parallel()
	state := ledgertest.NewRows()
	project := ledgertest.Hash("project")
	for i := range 5 {
		put(t, state, schema.RefKey(project, fmt.Appendf(nil, "ref %d", i)), &pb.RefRow{Nonce: 1})
	}
	for _, c := range []struct {
		bytes int // of an item
		pages []int
	}{
		{MaxResponseBytes / 5, []int{4, 1}}, // with its tags the fifth does not fit
		{MaxResponseBytes/2 - 100, []int{2, 2, 1}},
		{MaxResponseBytes + 1, []int{1, 1, 1, 1, 1}}, // one item fits, whatever its size
	} {
		var pages []int
		req := &pb.ListRefsRequest{}
		for {
			refs, next, err := readPage(rows{Rows: state}, newListID("test"), schema.RefKey(project, nil), req,
				func(*schema.Key, *pb.RefRow) (*pb.GetRefResponse, error) {
					return &pb.GetRefResponse{RefName: make([]byte, c.bytes)}, nil
				})
			if err != nil {
				t.Fatal(err)
			}
			pages = append(pages, len(refs))
			if req.Cursor = next; next == nil {
				break
			}
		}
		if !slices.Equal(pages, c.pages) {
			t.Errorf("items of %d bytes: pages of %v items, want %v", c.bytes, pages, c.pages)
		}
	}
}

// TestSaturated checks counts beyond uint32.
func TestSaturated(t *testing.T) {
	t.Parallel()
	for n, want := range map[uint64]uint32{0: 0, 1<<32 - 1: 1<<32 - 1, 1 << 32: 1<<32 - 1, 1<<64 - 1: 1<<32 - 1} {
		if got := saturated(n); got != want {
			t.Errorf("saturated(%d) is %d, want %d", n, got, want)
		}
	}
}
