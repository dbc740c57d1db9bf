package rpc

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/index"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// fullBlocks is a chain of blocks with the same messages.
type fullBlocks struct {
	Chain
	txs  [][]byte
	read int // blocks
}

func (f *fullBlocks) Transactions(uint64) ([][]byte, error) {
	f.read++
	return f.txs, nil
}

// fullHeight is the height of the state of newFullService.
const fullHeight = 100

// high is a state at fullHeight.
type high struct{ rows }

func (high) Height() uint64 { return fullHeight }

// newFullService returns a service whose blocks all contain count times the same message of one account.
func newFullService(t *testing.T, count int, data *pb.MessageData) (*Service, *fullBlocks) {
	t.Helper()
	alice, err := ledgertest.NewActor(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, "alice")
	if err != nil {
		t.Fatal(err)
	}
	m, err := alice.Sign(ledgertest.Start, data)
	if err != nil {
		t.Fatal(err)
	}
	service, blocks := serviceOf(ledgertest.NewRows()), &fullBlocks{txs: slices.Repeat([][]byte{m.Transaction()}, count)}
	service.Latest = func() Snapshot { return high{rows{Rows: ledgertest.NewRows()}} }
	service.Chain = blocks
	return service, blocks
}

// listMessages calls visit with every page of a list of messages.
func listMessages(t *testing.T, s *Service, req *pb.ListMessagesRequest, visit func(page *pb.ListMessagesResponse)) {
	t.Helper()
	for {
		answer, err := s.ListMessages(context.Background(), connect.NewRequest(req))
		if err != nil {
			t.Fatal(err)
		}
		visit(answer.Msg)
		if req.Cursor = answer.Msg.GetNextCursor(); req.Cursor == nil {
			return
		}
	}
}

// TestListMessagesIsComplete checks that a list over blocks with more messages than a page holds returns every message
// once and in order, and that end_block never includes a block of which messages are missing.
//
// Rules: P10.8.
func TestListMessagesIsComplete(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fills many blocks")
	}
	const perBlock = 294
	service, _ := newFullService(t, perBlock, message.Star(ledgertest.Hash("project")))
	for _, limit := range []uint32{0, 7, 199, 200} {
		next := index.Position{Height: 1}
		req := &pb.ListMessagesRequest{StartBlock: 1, EndBlock: 1_000, Limit: limit, Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_LINK_ADD}}
		listMessages(t, service, req, func(page *pb.ListMessagesResponse) {
			if page.GetStartBlock() != next.Height {
				t.Fatalf("limit %d: a page starts at block %d, want %d", limit, page.GetStartBlock(), next.Height)
			}
			for _, entry := range page.GetMessages() {
				if at := (index.Position{Height: entry.GetBlockNumber(), Index: entry.GetMessage().GetIndex()}); at != next {
					t.Fatalf("limit %d: message %v is returned, want %v", limit, at, next)
				}
				if next.Index++; next.Index == perBlock {
					next = index.Position{Height: next.Height + 1}
				}
			}
			if page.GetEndBlock() != next.Height-1 {
				t.Fatalf("limit %d: end_block is %d, but the next message is %v", limit, page.GetEndBlock(), next)
			}
		})
		if next != (index.Position{Height: fullHeight + 1}) {
			t.Errorf("limit %d: the list ends before message %v", limit, next)
		}
	}
}

// TestRareMessages checks that a page of ListMessages whose filter matches nothing reads a limited number of messages,
// bytes and blocks, and that its cursors reach the end.
//
// Rules: P10.8.
func TestRareMessages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fills many blocks")
	}
	commits := make([]message.Commit, message.MaxCommits)
	for i := range commits {
		commits[i] = ledgertest.NewCommit(ledgertest.Hash(fmt.Sprintf("commit %d", i)))
		commits[i].Title = strings.Repeat("t", message.MaxTitle)
	}
	for _, c := range []struct {
		name     string
		perBlock int
		data     *pb.MessageData
		blocks   int   // that a page may read
		ends     []int // end_block of the first pages
	}{
		{"messages", MaxRowsScanned / 3, message.Star(ledgertest.Hash("project")), 4, []int{3, 6, 9}},
		{"bytes", 4, message.CommitBundle(ledgertest.Hash("project"), message.Content{}, commits...), MaxBytesScanned >> 20, nil},
	} {
		service, blocks := newFullService(t, c.perBlock, c.data)
		var ends []int
		pages := 0
		req := &pb.ListMessagesRequest{StartBlock: 1, EndBlock: fullHeight, Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_FORK}}
		listMessages(t, service, req, func(page *pb.ListMessagesResponse) {
			if len(page.GetMessages()) > 0 || blocks.read > c.blocks {
				t.Fatalf("%s: a page has %d messages and reads %d blocks, want none and at most %d", c.name, len(page.GetMessages()), blocks.read, c.blocks)
			}
			if len(ends) < len(c.ends) {
				ends = append(ends, int(page.GetEndBlock()))
			}
			blocks.read = 0
			pages++
			if page.GetNextCursor() == nil && page.GetEndBlock() != fullHeight {
				t.Errorf("%s: the list ends at block %d", c.name, page.GetEndBlock())
			}
		})
		if !slices.Equal(ends, c.ends) || pages < 2 {
			t.Errorf("%s: %d pages, which end at blocks %v, want %v", c.name, pages, ends, c.ends)
		}
	}
}

// TestMessageCursors checks cursors that no page has.
func TestMessageCursors(t *testing.T) {
	t.Parallel()
	service, _ := newFullService(t, 1, message.Star(ledgertest.Hash("project")))
	list := newListID("ListMessages", numberParameter(1), numberParameter(0), nil)
	for name, payload := range map[string][]byte{
		"empty": nil, "short": {1, 2, 3}, "without an end": index.Position{Height: 1}.Encode(),
		"long": append(index.Position{Height: 1}.Encode(), make([]byte, 9)...),
	} {
		_, err := service.ListMessages(context.Background(), connect.NewRequest(&pb.ListMessagesRequest{StartBlock: 1, Cursor: list.cursor(payload)}))
		if connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The end of a list is at most the latest block, whatever its cursor contains.
	beyond := append(index.Position{Height: fullHeight}.Encode(), numberParameter(fullHeight+5)...)
	answer, err := service.ListMessages(context.Background(), connect.NewRequest(&pb.ListMessagesRequest{StartBlock: 1, Cursor: list.cursor(beyond)}))
	if err != nil || answer.Msg.GetEndBlock() != fullHeight || len(answer.Msg.GetMessages()) != 1 || answer.Msg.GetNextCursor() != nil {
		t.Errorf("a cursor beyond the latest block: %v, %v", answer, err)
	}
}
