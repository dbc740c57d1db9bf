// Package tail has the command that follows messages and blocks as they are committed.
package tail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/term"
)

// tail is a run of the command.
type tail struct {
	query.Flags

	project, owner, from string
	types                query.TypeFlag
	count                uint64

	filter    pb.SubscribeRequest // resolved from project, owner and types
	next      query.Position      // where the stream continues
	remaining uint64              // of count
	chain     string
}

// New returns the command tail.
func New() *cobra.Command {
	t := new(tail)
	command := &cobra.Command{
		Use:   "tail [messages|blocks]",
		Short: "Follow messages or blocks as they are committed",
		Long: `The command runs until it is interrupted. A line starts with the position of the message: 12-3 is
number 3 of block 12. --from continues after a position that was printed before. When the connection
breaks, tail reconnects and resumes: no message is lost, and none is printed twice.`,
		Example: "  makechain tail\n  makechain tail --project alice/hello --type ref_update,commit_bundle\n  makechain tail blocks --from 0 --json",
		Args:    usage.Args("[messages|blocks]"),
		ValidArgs: []cobra.Completion{
			tailMessages, tailBlocks,
		},
		RunE: func(command *cobra.Command, args []string) error {
			return t.Run(command, func(q *query.Query) error { return t.run(q, args) })
		},
	}
	t.Register(command)
	flags := command.Flags()
	flags.StringVar(&t.project, "project", "", "only messages about this project")
	flags.StringVar(&t.owner, "owner", "", "only messages of this account")
	t.types.Register(flags)
	flags.StringVar(&t.from, "from", "", "continue after this position, such as 12-3, or after block 12; 0 for all (default from now on)")
	flags.Uint64Var(&t.count, "count", 0, "exit after this many (default never)")
	return command
}

// What can be followed.
const (
	tailMessages = "messages"
	tailBlocks   = "blocks"
)

func (t *tail) run(q *query.Query, args []string) error {
	what := append(args, tailMessages)[0]
	if what != tailMessages && what != tailBlocks {
		return usage.Errorf(q.Command, "%q is not %s or %s", what, tailMessages, tailBlocks)
	}
	filtered := t.project != "" || t.owner != "" || t.types.IsSet()
	if what == tailBlocks && filtered {
		return usage.Errorf(q.Command, "--project, --owner and --type filter messages: leave out %s, or the filters", tailBlocks)
	}
	if err := t.prepare(q); err != nil {
		return err
	}
	stream := t.messages
	if what == tailBlocks {
		stream = t.blocks
	}
	return t.follow(q, func() error { return stream(q) })
}

// prepare resolves the filters and the position to start from.
func (t *tail) prepare(q *query.Query) error {
	var err error
	if t.filter.Types, err = t.types.Types(q.Command); err != nil {
		return err
	}
	status, err := client.Call(q.Context(), q.Client.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return err
	}
	// The position is explicit, so that a stream which breaks before its first event can resume too.
	t.chain, t.remaining, t.next = status.GetChainId(), t.count, query.Position{Block: status.GetCurrentBlock() + 1}
	if t.from != "" {
		after, err := query.ParsePosition(t.from)
		if err != nil {
			return usage.Errorf(q.Command, "--from: %w", err)
		}
		if after.Block > status.GetCurrentBlock() {
			return usage.Errorf(q.Command, "--from: block %d does not exist yet, the latest is %d", after.Block, status.GetCurrentBlock())
		}
		t.next = following(after)
	}
	if t.project != "" {
		project, err := q.Client.Project(q.Context(), t.project)
		if err != nil {
			return err
		}
		t.filter.ProjectId = project[:]
	}
	t.filter.OwnerAddress, err = query.AccountFilter(q.Context(), q.Client, t.owner)
	return err
}

// following returns the position right after another.
func following(at query.Position) query.Position {
	if at.HasIndex {
		return query.Position{Block: at.Block, Index: at.Index + 1}
	}
	return query.Position{Block: at.Block + 1}
}

// errCounted ends a stream that has printed --count lines.
var errCounted = errors.New("counted")

// printEvent prints an event of a stream for people: its position, time, kind and summary.
func printEvent(p *output.Printer, at string, unix uint64, style term.Style, kind, text string) {
	when := time.Unix(int64(unix), 0).Format(time.TimeOnly)
	p.Line("%s  %s  %s  %s", p.Style(term.Dim, fmt.Sprintf("%-8s", at)), when, p.Style(style, fmt.Sprintf("%-19s", kind)), text)
}

// typeStyle returns the colour of a message type: green for code, red for removals, yellow for keys.
func typeStyle(t pb.MessageType) term.Style {
	switch t {
	case pb.MessageType_MESSAGE_TYPE_REF_UPDATE, pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE, pb.MessageType_MESSAGE_TYPE_FORK,
		pb.MessageType_MESSAGE_TYPE_PROJECT_CREATE, pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_ADD:
		return term.Green
	case pb.MessageType_MESSAGE_TYPE_REF_DELETE, pb.MessageType_MESSAGE_TYPE_PROJECT_REMOVE, pb.MessageType_MESSAGE_TYPE_PROJECT_ARCHIVE,
		pb.MessageType_MESSAGE_TYPE_SIGNER_REMOVE, pb.MessageType_MESSAGE_TYPE_KEYCHAIN_REVOKE:
		return term.Red
	case pb.MessageType_MESSAGE_TYPE_SIGNER_ADD, pb.MessageType_MESSAGE_TYPE_KEYCHAIN_AUTHORIZE, pb.MessageType_MESSAGE_TYPE_STORAGE_CLAIM:
		return term.Yellow
	default:
		return term.Cyan
	}
}

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
			return nil //nolint:nilerr // it was interrupted, and did not fail
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
	names := q.Printer()
	stream, err := q.Client.SubscribeMessages(q.Context(), connect.NewRequest(&pb.SubscribeRequest{
		ProjectId: t.filter.GetProjectId(), Types: t.filter.GetTypes(), OwnerAddress: t.filter.GetOwnerAddress(),
		StartBlock: &t.next.Block, StartIndex: t.next.Index,
	}))
	return receive(t, stream, err, func(m *pb.Message) (query.Position, error) {
		return query.Position{Block: m.GetBlockNumber(), Index: m.GetIndex() + 1}, q.Print(m, func(p *output.Printer) {
			data := m.GetData()
			printEvent(p, query.PositionOf(m).String(), uint64(data.GetTimestamp()), typeStyle(data.GetType()), output.Type(data.GetType()),
				names.Account(data.GetOwnerAddress())+" "+names.Summary(data))
		})
	})
}

// blocks prints blocks from the next position on, until the stream ends.
func (t *tail) blocks(q *query.Query) error {
	stream, err := q.Client.SubscribeBlocks(q.Context(), connect.NewRequest(&pb.SubscribeBlocksRequest{StartBlock: &t.next.Block}))
	return receive(t, stream, err, func(answer *pb.GetBlockResponse) (query.Position, error) {
		header := answer.GetBlock().GetHeader()
		number := header.GetHeight().GetBlockNumber()
		return query.Position{Block: number + 1}, q.Print(answer, func(p *output.Printer) {
			printEvent(p, output.Number(number), header.GetTimestamp(), term.Cyan, p.ID(answer.GetBlock().GetHash()),
				term.Count(uint64(len(query.BlockMessages(answer))), "message"))
		})
	})
}

// receive prints the events of a stream until it ends, or until --count events are printed; then it returns errCounted.
// The function prints an event and returns the position after it.
func receive[M any](t *tail, stream *connect.ServerStreamForClient[M], err error, show func(*M) (query.Position, error)) error {
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	for stream.Receive() {
		next, err := show(stream.Msg())
		if err != nil {
			return &printError{err}
		}
		t.next = next
		if t.count == 0 {
			continue
		}
		if t.remaining--; t.remaining == 0 {
			return errCounted
		}
	}
	return stream.Err()
}
