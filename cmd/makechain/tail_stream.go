package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/term"
)

// The pauses between two attempts to reach a node that is gone: the first, and the longest after doubling.
const (
	firstReturn = 100 * time.Millisecond
	lastReturn  = 5 * time.Second
)

// follow runs a stream again and again from where it stopped, until it ends for a reason that a new connection
// would not mend. Whoever follows for ever ends it by interrupting, which is no failure.
func (t *tail) follow(ctx context.Context, command *cobra.Command, c *client.Client, stream func() error) error {
	for {
		before := t.next
		err := stream()
		switch {
		case errors.Is(err, errCounted), ctx.Err() != nil:
			return nil //nolint:nilerr // it was ended, and did not fail
		case !interrupted(err):
			return err
		}
		t.note(command, "the connection broke after %s (%s); waiting for the node", t.seen(), reason(err))
		if err := t.awaitNode(ctx, c); err != nil {
			return err
		}
		t.note(command, "connected again, going on after %s", t.seen())
		// A node that answers and breaks off again at once is not asked in a loop.
		if t.next == before && backoff.Sleep(ctx, firstReturn) != nil {
			return nil
		}
	}
}

// interrupted says whether a stream ended so that it can be taken up again: the connection broke, or the node
// stopped or was busy.
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

// printError is a failure on this side: nobody reads any more.
type printError struct{ error }

func (e *printError) Unwrap() error { return e.error }

func reason(err error) string {
	if err == nil {
		return "the stream ended"
	}
	return term.Text(describe(err))
}

// awaitNode waits until a node of the same chain is there that has come as far as the stream.
func (t *tail) awaitNode(ctx context.Context, c *client.Client) error {
	for delay := backoff.New(firstReturn, lastReturn); delay.Wait(ctx) == nil; {
		status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
		switch {
		case err != nil:
			continue
		case status.GetChainId() != t.chain:
			err := fmt.Errorf("the node serves chain %s now, and served %s before", status.GetChainId(), t.chain)
			return advise(err, "makechain tail --from 0, to begin with the new chain")
		case status.GetCurrentBlock()+1 >= t.next.block:
			return nil
		}
	}
	return nil // interrupted, as the next stream will be
}

// seen is the last place that was printed or passed over.
func (t *tail) seen() string {
	if t.next.index == 0 {
		return fmt.Sprintf("block %d", t.next.block-1)
	}
	return place(t.next.block, t.next.index-1)
}

func (t *tail) note(command *cobra.Command, format string, args ...any) {
	_, _ = fmt.Fprintf(command.ErrOrStderr(), "note: "+format+"\n", args...) // what matters is on standard output
}

// messages prints messages from the next place on, until the stream ends.
func (t *tail) messages(ctx context.Context, command *cobra.Command, c *client.Client) error {
	stream, err := c.SubscribeMessages(ctx, connect.NewRequest(&pb.SubscribeRequest{
		ProjectId: t.filter.GetProjectId(), Types: t.filter.GetTypes(), OwnerAddress: t.filter.GetOwnerAddress(),
		StartBlock: &t.next.block, StartIndex: t.next.index,
	}))
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	names := newLabels(c, t.printer(command))
	for stream.Receive() {
		m := stream.Msg()
		if err := t.print(command, m, func(p *term.Printer) {
			data := m.GetData()
			printEvent(p, place(m.GetBlockNumber(), m.GetIndex()), uint64(data.GetTimestamp()), typeStyle(data.GetType()), typeWord(data.GetType()),
				names.account(ctx, data.GetOwnerAddress())+" "+describeBody(ctx, p, names, data))
		}); err != nil {
			return &printError{err}
		}
		t.next = chainPlace{block: m.GetBlockNumber(), index: m.GetIndex() + 1}
		if err := t.counted(); err != nil {
			return err
		}
	}
	return stream.Err()
}

// blocks is messages for whole blocks.
func (t *tail) blocks(ctx context.Context, command *cobra.Command, c *client.Client) error {
	stream, err := c.SubscribeBlocks(ctx, connect.NewRequest(&pb.SubscribeBlocksRequest{StartBlock: &t.next.block}))
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	for stream.Receive() {
		answer := stream.Msg()
		header := answer.GetBlock().GetHeader()
		number := header.GetHeight().GetBlockNumber()
		if err := t.print(command, answer, func(p *term.Printer) {
			printEvent(p, strconv.FormatUint(number, 10), header.GetTimestamp(), term.Cyan, p.ID(answer.GetBlock().GetHash()),
				term.Count(uint64(len(blockMessages(answer))), "message"))
		}); err != nil {
			return &printError{err}
		}
		t.next = chainPlace{block: number + 1}
		if err := t.counted(); err != nil {
			return err
		}
	}
	return stream.Err()
}
