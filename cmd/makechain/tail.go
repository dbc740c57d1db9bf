package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/term"
)

// tail follows the chain.
type tail struct {
	remote

	project, owner, from string
	types                []string
	count                uint64

	filter pb.SubscribeRequest // what project, owner and types mean
	next   chainPlace          // where the stream goes on
	left   uint64              // of count
	chain  string
}

func newTailCommand() *cobra.Command {
	t := new(tail)
	command := &cobra.Command{
		Use:   "tail [messages|blocks]",
		Short: "Follow messages or blocks as they are committed",
		Long: `Follow messages or blocks as they are committed, until interrupted.

A line begins with its place: 12-3 is number 3 of block 12. --from goes on right after a place
that was printed before. When the connection breaks, tail says so and goes on where it stopped
as soon as the node is back: nothing is left out, and nothing is printed twice.`,
		Example: "  makechain tail\n  makechain tail --project alice/hello --type ref_update,commit_bundle\n  makechain tail blocks --from 0 --json",
		Args:    arguments("[messages|blocks]"),
		ValidArgs: []cobra.Completion{
			tailMessages, tailBlocks,
		},
		RunE: func(command *cobra.Command, args []string) error {
			return t.reading(command, func(ctx context.Context, c *client.Client) error { return t.run(ctx, command, c, args) })
		},
	}
	t.register(command)
	flags := command.Flags()
	flags.StringVar(&t.project, "project", "", "only messages about this project")
	flags.StringVar(&t.owner, "owner", "", "only messages of this account")
	flags.StringSliceVar(&t.types, "type", nil, "only messages of these types, such as ref_update")
	flags.StringVar(&t.from, "from", "", "go on right after this place, such as 12-3, or after block 12; 0 is the beginning (default now)")
	flags.Uint64Var(&t.count, "count", 0, "end after so many (default never)")
	return command
}

// What can be followed.
const (
	tailMessages = "messages"
	tailBlocks   = "blocks"
)

func (t *tail) run(ctx context.Context, command *cobra.Command, c *client.Client, args []string) error {
	what := append(args, tailMessages)[0]
	if what != tailMessages && what != tailBlocks {
		return misused(command, "%q is neither %s nor %s", what, tailMessages, tailBlocks)
	}
	filtered := t.project != "" || t.owner != "" || len(t.types) > 0
	if what == tailBlocks && filtered {
		return misused(command, "blocks have no project, owner or type; leave out %s, or the filters", tailBlocks)
	}
	if err := t.prepare(ctx, command, c); err != nil {
		return err
	}
	stream := t.messages
	if what == tailBlocks {
		stream = t.blocks
	}
	return t.follow(ctx, command, c, func() error { return stream(ctx, command, c) })
}

// prepare finds what the filters mean, and where to begin.
func (t *tail) prepare(ctx context.Context, command *cobra.Command, c *client.Client) error {
	if err := t.parseTypes(command); err != nil {
		return err
	}
	status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return err
	}
	// The position is made explicit, so that a stream which breaks before its first event goes on there too.
	t.chain, t.left, t.next = status.GetChainId(), t.count, chainPlace{block: status.GetCurrentBlock() + 1}
	if t.from != "" {
		after, err := parsePlace(t.from)
		if err != nil {
			return misused(command, "--from: %w", err)
		}
		if after.block > status.GetCurrentBlock() {
			return misused(command, "--from: block %d is not there yet, the latest is %d", after.block, status.GetCurrentBlock())
		}
		t.next = after.following()
	}
	if t.project != "" {
		project, err := c.Project(ctx, t.project)
		if err != nil {
			return err
		}
		t.filter.ProjectId = project[:]
	}
	t.filter.OwnerAddress, err = optionalAccount(ctx, c, []string{t.owner})
	return err
}

// following is the place right behind.
func (at chainPlace) following() chainPlace {
	if at.hasIndex {
		return chainPlace{block: at.block, index: at.index + 1}
	}
	return chainPlace{block: at.block + 1}
}

func (t *tail) parseTypes(command *cobra.Command) error {
	for _, name := range t.types {
		upper := "MESSAGE_TYPE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		value, known := pb.MessageType_value[upper]
		if !known || value == 0 {
			return misused(command, "--type: %q is no type of message; there are %s", name, strings.Join(typeWords(), ", "))
		}
		t.filter.Types = append(t.filter.Types, pb.MessageType(value))
	}
	return nil
}

// typeWords are the types of messages by the names that people write.
func typeWords() []string {
	values := pb.MessageType(0).Descriptor().Values()
	words := make([]string, 0, values.Len()-1)
	for i := 1; i < values.Len(); i++ { // 0 is none
		words = append(words, typeWord(pb.MessageType(values.Get(i).Number())))
	}
	slices.Sort(words)
	return words
}

// errCounted says that as much was printed as was asked for.
var errCounted = errors.New("counted")

// counted ends a stream that has printed --count lines.
func (t *tail) counted() error {
	if t.count == 0 {
		return nil
	}
	if t.left--; t.left == 0 {
		return errCounted
	}
	return nil
}

// printEvent prints what one event of a stream is for people: its place, its time, and what it is.
func printEvent(p *term.Printer, at string, unix uint64, style term.Style, kind, text string) {
	when := time.Unix(int64(unix), 0).Format(time.TimeOnly)
	p.Line("%s  %s  %s  %s", p.Style(term.Dim, fmt.Sprintf("%-8s", at)), when, p.Style(style, fmt.Sprintf("%-19s", kind)), text)
}

// typeStyle gives kinds of messages their colours: code, people, keys.
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
