package main

import (
	"context"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/term"
)

func newMessageCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "message",
		Short: "Look at messages, submit them, ask what became of them",
		Long: `Look at messages, submit them, ask what became of them.

A message is named by its hash, by its place (12-3 is number 3 of block 12, counted from 0),
or by the first digits of its hash if it is in one of the latest 1000 blocks.`,
		Example: "  makechain message get 12-3\n  makechain message submit message.json",
	}
	command.AddCommand(newMessageGetCommand(), newMessageStatusCommand(), newMessageSubmitCommand(), newMessageDryRunCommand())
	return command
}

func newMessageGetCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:     "get <message>",
		Short:   "Show a committed message",
		Example: "  makechain message get 12-3\n  makechain message get 3fa9c1d2 --json > message.json",
		Args:    arguments("a message: its hash, or its place such as 12-3"),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				hash, err := messageNamed(ctx, c, args[0])
				if err != nil {
					return err
				}
				answer, err := client.Call(ctx, c.GetMessage, &pb.GetMessageRequest{Hash: hash[:]})
				if err != nil {
					return err
				}
				return r.print(command, answer, func(p *term.Printer) { printMessage(ctx, p, newLabels(c, p), answer.GetMessage()) })
			})
		},
	}
	r.register(command)
	return command
}

// printMessage prints an envelope, and below it the body field by field.
func printMessage(ctx context.Context, p *term.Printer, l *labels, m *pb.Message) {
	data := m.GetData()
	p.Line("%s", p.Style(term.Bold, l.account(ctx, data.GetOwnerAddress())+" "+describeBody(ctx, p, l, data)))
	p.Facts(append([]term.Fact{
		{Label: "hash", Value: fullID(m.GetHash())},
		{Label: "type", Value: typeWord(data.GetType())},
		{Label: "place", Value: place(m.GetBlockNumber(), m.GetIndex())},
		{Label: "time", Value: p.Time(uint64(data.GetTimestamp()))},
		{Label: "owner", Value: "0x" + fullID(data.GetOwnerAddress())},
		{Label: "signer", Value: fullID(m.GetSigner())},
	}, fieldFacts(bodyOf(data))...)...)
}

func newMessageStatusCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:     "status <message>",
		Short:   "Say what became of a message: pending, committed, refused, expired",
		Example: "  makechain message status 3fa9c1d2e4b5a6978899aabbccddeeff00112233445566778899aabbccddeeff",
		Args:    arguments("a message: its hash, or its place such as 12-3"),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				hash, err := messageNamed(ctx, c, args[0])
				if err != nil {
					return err
				}
				status, err := client.Call(ctx, c.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: hash[:]})
				if err != nil {
					return err
				}
				return r.print(command, status, func(p *term.Printer) { printMessageStatus(p, status) })
			})
		},
	}
	r.register(command)
	return command
}

func printMessageStatus(p *term.Printer, status *pb.GetMessageStatusResponse) {
	facts := []term.Fact{
		{Label: "message", Value: fullID(status.GetHash())},
		{Label: "state", Value: p.Style(stateStyle(status.GetState()), word(status.GetState(), "MESSAGE_STATE_"))},
	}
	if status.GetState() == pb.MessageState_MESSAGE_STATE_COMMITTED {
		facts = append(facts, term.Fact{Label: "place", Value: place(status.GetBlockNumber(), status.GetIndex())})
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
		p.Line("the node never saw it, or has forgotten it: it can be submitted again")
	}
}

func stateStyle(state pb.MessageState) term.Style {
	switch state {
	case pb.MessageState_MESSAGE_STATE_COMMITTED:
		return term.Green
	case pb.MessageState_MESSAGE_STATE_REFUSED, pb.MessageState_MESSAGE_STATE_EXPIRED:
		return term.Red
	default:
		return term.Yellow
	}
}
