// Package message has the commands about single messages.
package message

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/output"
	"makechain/internal/cli/paging"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/ident"
	"makechain/internal/term"
	"makechain/message"
)

// New returns the command message.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "message",
		Short: "Show and submit messages, and query their status",
		Long: `A message is named by its hash, by its position (12-3 is number 3 of block 12, counted from 0),
or by the first digits of its hash if it is in one of the latest 1000 blocks.`,
		Example: "  makechain message get 12-3\n  makechain message submit message.json",
	}
	command.AddCommand(newGetCommand(), newListCommand(), newStatusCommand(), newSubmitCommand(), newDryRunCommand())
	return command
}

func newGetCommand() *cobra.Command {
	return query.Show(&cobra.Command{
		Use:     "get <message>",
		Short:   "Show a committed message",
		Example: "  makechain message get 12-3\n  makechain message get 3fa9c1d2 --json > message.json",
		Args:    usage.Args("a message: its hash, or its position such as 12-3"),
	}, query.Showing[message.Hash, *pb.GetMessageResponse]{
		Resolve: resolve,
		Fetch: func(ctx context.Context, c *client.Client, hash message.Hash) (*pb.GetMessageResponse, error) {
			return client.Call(ctx, c.GetMessage, &pb.GetMessageRequest{Hash: hash[:]})
		},
		Print: func(p *output.Printer, answer *pb.GetMessageResponse) {
			m := answer.GetMessage()
			data := m.GetData()
			p.Line("%s", p.Style(term.Bold, p.Account(data.GetOwnerAddress())+" "+p.Summary(data)))
			p.Facts(append([]term.Fact{
				{Label: "hash", Value: hex.EncodeToString(m.GetHash())},
				{Label: "type", Value: output.Type(data.GetType())},
				{Label: "position", Value: query.PositionOf(m).String()},
				{Label: "time", Value: p.Time(uint64(data.GetTimestamp()))},
				{Label: "owner", Value: "0x" + hex.EncodeToString(data.GetOwnerAddress())},
				{Label: "signer", Value: hex.EncodeToString(m.GetSigner())},
			}, output.Fields(output.Body(data))...)...)
		},
	})
}

// blockRange is a range of blocks as ListMessages takes it.
type blockRange struct{ first, last uint64 }

func newListCommand() *cobra.Command {
	var blocks blockRange
	command := query.ListMessages(&cobra.Command{
		Use:     "list",
		Short:   "List the messages of a range of blocks, in order",
		Example: "  makechain message list\n  makechain message list --from 1 --type project_create --all\n  makechain message list --from 12 --to 12",
		Args:    cobra.NoArgs,
	}, query.Messages[blockRange, *pb.ListMessagesResponse]{
		Resolve: func(q *query.Query, _ []string) (blockRange, error) {
			if q.Command.Flags().Changed("from") && !q.Command.Flags().Changed("to") {
				return blockRange{blocks.first, math.MaxInt64}, nil // the node ends the list with its latest block
			}
			return blocks, nil
		},
		Fetch: func(
			ctx context.Context, c *client.Client, blocks blockRange, types []pb.MessageType, limit uint32, cursor []byte,
		) (*pb.ListMessagesResponse, error) {
			return client.Call(ctx, c.ListMessages, &pb.ListMessagesRequest{
				StartBlock: blocks.first, EndBlock: blocks.last, Types: types, Limit: limit, Cursor: cursor,
			})
		},
	})
	command.Flags().Uint64Var(&blocks.first, "from", 0, "number of the first block (default the latest)")
	command.Flags().Uint64Var(&blocks.last, "to", 0, "number of the last block (default the latest)")
	return command
}

func newStatusCommand() *cobra.Command {
	return query.Show(&cobra.Command{
		Use:     "status <message>",
		Short:   "Show the status of a message: pending, committed, refused or expired",
		Example: "  makechain message status 3fa9c1d2e4b5a6978899aabbccddeeff00112233445566778899aabbccddeeff",
		Args:    usage.Args("a message: its hash, or its position such as 12-3"),
	}, query.Showing[message.Hash, *pb.GetMessageStatusResponse]{
		Resolve: resolve,
		Fetch: func(ctx context.Context, c *client.Client, hash message.Hash) (*pb.GetMessageStatusResponse, error) {
			return client.Call(ctx, c.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: hash[:]})
		},
		Print: printStatus,
	})
}

func printStatus(p *output.Printer, status *pb.GetMessageStatusResponse) {
	style := term.Yellow
	switch status.GetState() {
	case pb.MessageState_MESSAGE_STATE_COMMITTED:
		style = term.Green
	case pb.MessageState_MESSAGE_STATE_REFUSED, pb.MessageState_MESSAGE_STATE_EXPIRED:
		style = term.Red
	}
	facts := []term.Fact{
		{Label: "message", Value: hex.EncodeToString(status.GetHash())},
		{Label: "state", Value: p.Style(style, output.Enum(status.GetState(), "MESSAGE_STATE_"))},
	}
	if status.GetState() == pb.MessageState_MESSAGE_STATE_COMMITTED {
		facts = append(facts, term.Fact{Label: "position", Value: query.PositionOf(status).String()})
	}
	if status.GetCode() != "" {
		facts = append(facts,
			term.Fact{Label: "stage", Value: term.Text(status.GetStage())},
			term.Fact{Label: "code", Value: term.Text(status.GetCode())},
			term.Fact{Label: "reason", Value: term.Text(status.GetError())})
	}
	if status.GetSeenAt() != 0 {
		facts = append(facts, term.Fact{Label: "seen", Value: p.Time(status.GetSeenAt())})
	}
	p.Facts(facts...)
	if status.GetState() == pb.MessageState_MESSAGE_STATE_UNKNOWN {
		p.Line("the node has no record of it: it can be submitted again")
	}
}

// recentPages is the number of pages of the latest blocks that are searched for a message by a prefix of its hash.
// Messages are not rows of the state, so they cannot be found by a range proof.
const recentPages = 5

const wantMessage = "the hash of a message (64 hex digits, or the first 4 or more), or its position (12-3)"

// resolve returns the hash of the message that an argument names.
func resolve(q *query.Query, args []string) (message.Hash, error) {
	digits := strings.ToLower(strings.TrimPrefix(args[0], "0x"))
	if hash, err := ident.ParseHash(digits); err == nil {
		return hash, nil
	}
	if at, err := query.ParsePosition(args[0]); err == nil && at.HasIndex {
		return messageAt(q.Context(), q.Client, at)
	}
	_, err := hex.DecodeString(digits + strings.Repeat("0", len(digits)%2))
	if err != nil || len(digits) < client.MinPrefix || len(digits) > 2*ident.HashSize {
		return message.Hash{}, &client.NameError{Name: args[0], Want: wantMessage}
	}
	return recentMessage(q.Context(), q.Client, digits)
}

// messageAt returns the hash of the message at a position.
func messageAt(ctx context.Context, c *client.Client, at query.Position) (message.Hash, error) {
	block, err := client.Call(ctx, c.GetBlock, &pb.GetBlockRequest{BlockNumber: at.Block})
	if err != nil {
		return message.Hash{}, err
	}
	messages := query.BlockMessages(block)
	if uint64(at.Index) >= uint64(len(messages)) {
		return message.Hash{}, usage.Advise(&client.NotFoundError{Kind: "message", Name: at.String()},
			"makechain block get %d, which lists its %d messages", at.Block, len(messages))
	}
	hash, ok := ident.HashFrom(messages[at.Index].GetHash())
	if !ok {
		return hash, fmt.Errorf("message %s has a hash of %d bytes", at, len(messages[at.Index].GetHash()))
	}
	return hash, nil
}

// recentMessage returns the hash of the only message in the latest blocks with a prefix.
func recentMessage(ctx context.Context, c *client.Client, digits string) (message.Hash, error) {
	var found []message.Hash
	start := uint64(0) // the latest
	for range recentPages {
		page, err := client.Call(ctx, c.ListBlocks, &pb.ListBlocksRequest{Start: start, Limit: paging.Max})
		if err != nil {
			return message.Hash{}, err
		}
		lowest := uint64(0)
		for _, block := range page.GetBlocks() {
			lowest = block.GetBlock().GetHeader().GetHeight().GetBlockNumber()
			for _, m := range query.BlockMessages(block) {
				if hash, ok := ident.HashFrom(m.GetHash()); ok && strings.HasPrefix(hash.String(), digits) {
					found = append(found, hash)
				}
			}
		}
		if lowest <= 1 {
			break
		}
		start = lowest - 1
	}
	switch len(found) {
	case 0:
		return message.Hash{}, usage.Advise(&client.NotFoundError{Kind: "message", Name: digits},
			"the full hash; a prefix is searched in the latest blocks only")
	case 1:
		return found[0], nil
	default:
		ambiguous := &client.AmbiguousError{Kind: "message", Name: digits}
		for _, hash := range found {
			ambiguous.Candidates = append(ambiguous.Candidates, hash.String())
		}
		return message.Hash{}, ambiguous
	}
}
