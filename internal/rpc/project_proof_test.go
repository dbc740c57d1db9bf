package rpc_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
	"makechain/proof"
)

// contents is a node with a project that has contents.
type contents struct {
	*node

	alice   *ledgertest.Actor
	project ident.Hash
	added   int
}

func newContents(t *testing.T, count int) *contents {
	t.Helper()
	c := &contents{node: newNode(t, setup{})}
	c.alice = c.actor("alice")
	c.must(c.join(c.alice, 1)...)
	project := c.sign(c.alice, message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	c.must(project)
	c.project = project.Hash
	c.blocks.decideNext()
	for range count {
		c.add()
	}
	return c
}

// add commits a bundle with content.
func (c *contents) add() {
	c.Helper()
	c.added++
	name := fmt.Sprintf("content %d", c.added)
	content := message.Content{Digest: ledgertest.Hash(name), URL: "https://example.org/" + name}
	c.must(c.sign(c.alice, message.CommitBundle(c.project, content, message.Commit{Hash: ledgertest.Hash("commit of " + name), Author: c.alice.Address})))
}

// digests reads all pages, calls between before each page after the first, and returns the digests and the block.
func (c *contents) digests(t *testing.T, limit uint32, between func()) (digests []ident.Hash, block uint64) {
	t.Helper()
	prefix := schema.ContentPrefix(c.project)
	var root, cursor, after []byte
	for {
		page := get[*pb.ListContentResponse](c.node, "ListContent", &pb.ListContentRequest{ProjectId: c.project[:], Limit: limit, Cursor: cursor})
		if root == nil {
			root, block = page.GetRoot(), page.GetBlockNumber()
		}
		if !bytes.Equal(root, page.GetRoot()) || page.GetBlockNumber() != block || string(page.GetLightBlock()) != fmt.Sprintf("light block %d", block+1) {
			t.Fatalf("page of block %d and root %x in a list of block %d and root %x", page.GetBlockNumber(), page.GetRoot(), block, root)
		}
		cursor = page.GetNextCursor()
		if err := proof.VerifyCompactRange([32]byte(root), prefix, after, len(cursor) == 0, page.GetContents()); err != nil {
			t.Fatal(err)
		}
		for _, row := range page.GetContents().GetRows() {
			after = row.GetKey()
			digests = append(digests, ident.Hash(after[len(prefix):]))
		}
		if len(cursor) == 0 {
			return digests, block
		}
		if n := len(page.GetContents().GetRows()); n != int(limit) {
			t.Fatalf("page of %d rows with limit %d", n, limit)
		}
		between()
	}
}

// TestContentPages checks that the pages of a list are of one block, whatever is added meanwhile.
//
// Rules: T3.10.
func TestContentPages(t *testing.T) {
	t.Parallel()
	c := newContents(t, 15)
	for _, limit := range []uint32{1, 4, 7} {
		want := []ident.Hash{}
		for i := range c.added {
			want = append(want, ledgertest.Hash(fmt.Sprintf("content %d", i+1)))
		}
		slices.SortFunc(want, func(a, b ident.Hash) int { return bytes.Compare(a[:], b[:]) })
		height := c.blocks.Height()
		got, block := c.digests(t, limit, c.add)
		if !slices.Equal(got, want) || block != height {
			t.Errorf("limit %d: %d contents of block %d, want %d of block %d", limit, len(got), block, len(want), height)
		}
	}
}

// TestContentPagesExpire checks that a list is kept for a minute after the last page, and that a client has to start again after that.
//
// Rules: T3.10.
func TestContentPagesExpire(t *testing.T) {
	t.Parallel()
	c := newContents(t, 5)
	request := &pb.ListContentRequest{ProjectId: c.project[:], Limit: 1}
	for range 3 {
		request.Cursor = get[*pb.ListContentResponse](c.node, "ListContent", request).GetNextCursor()
		c.clock.Add(int64(time.Minute / time.Second))
	}
	get[*pb.ListContentResponse](c.node, "ListContent", request)
	c.clock.Add(int64(time.Minute/time.Second) + 1)
	c.expectError(t, "ListContent", request, connect.CodeAborted, "start again")
}

// TestContentCursors checks that cursors of other lists and invalid ones are refused.
//
// Rules: P10.8, T3.10.
func TestContentCursors(t *testing.T) {
	t.Parallel()
	c := newContents(t, 3)
	cursor := get[*pb.ListContentResponse](c.node, "ListContent", &pb.ListContentRequest{ProjectId: c.project[:], Limit: 1}).GetNextCursor()
	other := ledgertest.Hash("other")
	for name, request := range map[string]*pb.ListContentRequest{
		"of another project": {ProjectId: other[:], Cursor: cursor},
		"without a block":    {ProjectId: c.project[:], Cursor: cursor[:12]},
		"without a key":      {ProjectId: c.project[:], Cursor: cursor[:16]},
		"of another list":    {ProjectId: c.project[:], Cursor: append([]byte{cursor[0] ^ 1}, cursor[1:]...)},
		"of other rows":      {ProjectId: c.project[:], Cursor: append(bytes.Clone(cursor[:16]), 0x0D)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.expectError(t, "ListContent", request, connect.CodeInvalidArgument, "cursor")
		})
	}
	c.expectError(t, "GetProjectProof", &pb.GetProjectProofRequest{ProjectId: c.project[:], Cursor: cursor}, connect.CodeInvalidArgument, "cursor")
	c.expectError(t, "GetProjectProof", &pb.GetProjectProofRequest{ProjectId: other[:4]}, connect.CodeInvalidArgument, "project_id")
	c.expectError(t, "ListContent", &pb.ListContentRequest{}, connect.CodeInvalidArgument, "project_id")
}

// TestProjectProof checks the rows of a project proof at a block that is certified, of a project that does not exist, and that
// the node waits for the block that certifies the newest root.
//
// Rules: P11.2, T3.10.
func TestProjectProof(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	s.must() // commits what is pending
	height := s.blocks.Height()
	type result struct {
		response *connect.Response[pb.GetProjectProofResponse]
		err      error
	}
	waiting := make(chan result, 1)
	go func() {
		response, err := s.client.GetProjectProof(t.Context(), connect.NewRequest(&pb.GetProjectProofRequest{ProjectId: s.hello[:]}))
		waiting <- result{response, err}
	}()
	s.next() // an empty block, which certifies the root before
	first := <-waiting
	if first.err != nil {
		t.Fatal(first.err)
	}
	got := first.response.Msg
	root := [32]byte(got.GetRoot())
	if got.GetBlockNumber() != height || string(got.GetLightBlock()) != fmt.Sprintf("light block %d", height+1) {
		t.Errorf("block %d with %q, want %d", got.GetBlockNumber(), got.GetLightBlock(), height)
	}
	checkProjectProof(t, root, s.hello, got)
	if len(got.GetProject().GetRows()) != 1 || len(got.GetRefs().GetRows()) == 0 || len(got.GetMetadata().GetRows()) == 0 {
		t.Errorf("%v", got)
	}
	none := ledgertest.Hash("none")
	absent := get[*pb.GetProjectProofResponse](s.node, "GetProjectProof", &pb.GetProjectProofRequest{ProjectId: none[:]})
	checkProjectProof(t, root, none, absent)
	if len(absent.GetProject().GetRows())+len(absent.GetRefs().GetRows()) > 0 {
		t.Errorf("%v", absent)
	}
}

func checkProjectProof(t *testing.T, root [32]byte, project ident.Hash, got *pb.GetProjectProofResponse) {
	t.Helper()
	for _, part := range []struct {
		prefix []byte
		proof  *pb.CompactRangeProof
	}{
		{schema.ProjectKey(project), got.GetProject()},
		{schema.ProjectMetadataPrefix(project), got.GetMetadata()},
		{schema.ForkParentKey(project), got.GetForkParent()},
		{schema.RefKey(project, nil), got.GetRefs()},
	} {
		if err := proof.VerifyCompactRange(root, part.prefix, nil, true, part.proof); err != nil {
			t.Errorf("rows %x: %v", part.prefix, err)
		}
	}
}
