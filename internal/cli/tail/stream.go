package tail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/term"
)

// The backoff between two attempts to reach a node doubles from the first to the last.
const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
)

// follow reconnects and resumes a stream until it ends for another reason than the connection. Interrupting it is not
// an error.
func (t *tail) follow(q *query.Query, stream func() error) error {
	ctx := q.Context()
	for {
		before := t.next
		err := stream()
		switch {
		case errors.Is(err, errCounted), ctx.Err() != nil:
			return nil //nolint:nilerr // it was ended, and did not fail
		case !interrupted(err):
			return err
		}
		t.note(q, "connection lost after %s (%s); reconnecting", t.seen(), reason(err))
		if err := t.awaitNode(ctx, q.Client); err != nil {
			return err
		}
		t.note(q, "reconnected, continuing after %s", t.seen())
		// A node that closes every stream at once is not called in a busy loop.
		if t.next == before && backoff.Sleep(ctx, minBackoff) != nil {
			return nil
		}
	}
}

// interrupted reports whether a stream can be resumed after an error: the connection broke, or the node stopped or was
// busy.
func interrupted(err error) bool {
	if err == nil || !connect.IsWireError(err) {
		printing := (*printError)(nil)
		return !errors.As(err, &printing)
	}
	switch connect.CodeOf(err) {
	case connect.CodeUnavailable, connect.CodeResourceExhausted, connect.CodeDeadlineExceeded, connect.CodeAborted:
		return true
	default:
		return false
	}
}

// printError is a failure to write the output.
type printError struct{ error }

func (e *printError) Unwrap() error { return e.error }

func reason(err error) string {
	if err == nil {
		return "the stream ended"
	}
	return term.Text(usage.Describe(err))
}

// awaitNode waits until a node of the same chain answers that has the blocks which the stream has delivered.
func (t *tail) awaitNode(ctx context.Context, c *client.Client) error {
	for delay := backoff.New(minBackoff, maxBackoff); delay.Wait(ctx) == nil; {
		status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
		switch {
		case err != nil:
			continue
		case status.GetChainId() != t.chain:
			err := fmt.Errorf("the node serves chain %s now, not %s", status.GetChainId(), t.chain)
			return usage.Advise(err, "makechain tail --from 0, for the new chain")
		case status.GetCurrentBlock()+1 >= t.next.Block:
			return nil
		}
	}
	return nil // interrupted, as the next stream will be
}

// seen returns the last position that was printed or filtered out.
func (t *tail) seen() string {
	if t.next.Index == 0 {
		return fmt.Sprintf("block %d", t.next.Block-1)
	}
	return query.Position{Block: t.next.Block, Index: t.next.Index - 1, HasIndex: true}.String()
}

func (t *tail) note(q *query.Query, format string, args ...any) {
	_, _ = fmt.Fprintf(q.Command.ErrOrStderr(), "note: "+format+"\n", args...) // notes are not essential
}

// messages prints messages from the next position on, until the stream ends.
func (t *tail) messages(q *query.Query) error {
	stream, err := q.Client.SubscribeMessages(q.Context(), connect.NewRequest(&pb.SubscribeRequest{
		ProjectId: t.filter.GetProjectId(), Types: t.filter.GetTypes(), OwnerAddress: t.filter.GetOwnerAddress(),
		StartBlock: &t.next.Block, StartIndex: t.next.Index,
	}))
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	names := q.Printer()
	for stream.Receive() {
		m := stream.Msg()
		if err := q.Print(m, func(p *output.Printer) {
			data := m.GetData()
			printEvent(p, query.PositionOf(m).String(), uint64(data.GetTimestamp()), typeStyle(data.GetType()), output.Type(data.GetType()),
				names.Account(data.GetOwnerAddress())+" "+names.Summary(data))
		}); err != nil {
			return &printError{err}
		}
		t.next = query.Position{Block: m.GetBlockNumber(), Index: m.GetIndex() + 1}
		if err := t.counted(); err != nil {
			return err
		}
	}
	return stream.Err()
}

// blocks prints blocks from the next position on, until the stream ends.
func (t *tail) blocks(q *query.Query) error {
	stream, err := q.Client.SubscribeBlocks(q.Context(), connect.NewRequest(&pb.SubscribeBlocksRequest{StartBlock: &t.next.Block}))
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	for stream.Receive() {
		answer := stream.Msg()
		header := answer.GetBlock().GetHeader()
		number := header.GetHeight().GetBlockNumber()
		if err := q.Print(answer, func(p *output.Printer) {
			printEvent(p, output.Number(number), header.GetTimestamp(), term.Cyan, p.ID(answer.GetBlock().GetHash()),
				term.Count(uint64(len(query.BlockMessages(answer))), "message"))
		}); err != nil {
			return &printError{err}
		}
		t.next = query.Position{Block: number + 1}
		if err := t.counted(); err != nil {
			return err
		}
	}
	return stream.Err()
}
