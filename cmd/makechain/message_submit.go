package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/jsonform"
	"makechain/internal/term"
	"makechain/message"
)

// maxMessageFile bounds a message in a file, in bytes: as JSON it takes about twice its own size.
const maxMessageFile = 4 * message.MaxSize

func newMessageSubmitCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:   "submit [file]",
		Short: "Submit a signed message from a file or from standard input",
		Long: `Submit a signed message from a file or from standard input.

The message is JSON as the gateway takes it and "message get --json" prints it, or protobuf.
A message that the chain has already is not applied twice.`,
		Example: "  makechain message submit message.json\n  makechain message submit --wait=false < message.bin",
		Args:    arguments("[a file]"),
		RunE: func(command *cobra.Command, args []string) error {
			m, err := readMessage(command, args)
			if err != nil {
				return err
			}
			return r.reading(command, func(ctx context.Context, c *client.Client) error { return r.submitFile(ctx, command, c, m) })
		},
	}
	r.register(command)
	r.registerPatience(command.Flags())
	return command
}

// submitFile hands a message over that somebody else may have signed, and waits for its block.
func (r *remote) submitFile(ctx context.Context, command *cobra.Command, c *client.Client, sent *pb.Message) error {
	m, refusal := message.Open(sent)
	if refusal != nil {
		refused := &client.RefusedError{Stage: refusal.Stage, Code: refusal.Code, Reason: refusal.Reason}
		copy(refused.Hash[:], sent.GetHash())
		return r.printRefusal(command, refused)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.timeout, errPatience)
	defer cancel()
	if err := c.Submit(ctx, m); err != nil {
		return r.printRefusal(command, err)
	}
	done := receipt{Envelope: m}
	if r.wait {
		progress := term.StartProgress(command.ErrOrStderr(), "waiting for a block")
		defer progress.Stop()
		block, err := c.AwaitCommitted(ctx, m.Hash)
		if err != nil {
			return r.printRefusal(command, err)
		}
		done.block = block
	}
	return r.printReceipts(command, "committed "+m.Hash.String(), []receipt{done})
}

func newMessageDryRunCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:     "dry-run [file]",
		Short:   "Say what submitting a message would do, and change nothing",
		Example: "  makechain message dry-run message.json",
		Args:    arguments("[a file]"),
		RunE: func(command *cobra.Command, args []string) error {
			m, err := readMessage(command, args)
			if err != nil {
				return err
			}
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				answer, err := client.Call(ctx, c.DryRunMessage, &pb.DryRunMessageRequest{Message: m})
				if err != nil {
					return err
				}
				return r.printDryRun(command, answer)
			})
		},
	}
	r.register(command)
	return command
}

// printDryRun prints a verdict. A message that would be refused fails the command as submitting it would.
func (r *remote) printDryRun(command *cobra.Command, answer *pb.DryRunMessageResponse) error {
	if answer.GetWouldAccept() {
		return r.print(command, answer, func(p *term.Printer) { p.Line("would be accepted") })
	}
	if r.json {
		if err := r.print(command, answer, nil); err != nil {
			return err
		}
	}
	return fmt.Errorf("would be %w", &client.RefusedError{
		Stage: message.Stage(answer.GetErrorStage()), Code: message.Code(answer.GetCode()), Reason: answer.GetError(),
	})
}

// readMessage reads the message of a file, or of standard input when none or "-" is named.
func readMessage(command *cobra.Command, args []string) (*pb.Message, error) {
	in, name := command.InOrStdin(), "standard input"
	if len(args) > 0 && args[0] != "-" {
		file, err := os.Open(args[0])
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		in, name = file, args[0]
	} else if term.IsTerminal(in) {
		return nil, misused(command, "missing a file: nobody types a signed message")
	}
	content, err := io.ReadAll(io.LimitReader(in, maxMessageFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(content) > maxMessageFile:
		return nil, fmt.Errorf("%s is larger than %d bytes", name, maxMessageFile)
	}
	m, err := decodeMessage(content)
	if err != nil {
		return nil, advise(fmt.Errorf("%s is no message: %w", name, err), "makechain message get <message> --json, for how one looks")
	}
	return m, nil
}

// decodeMessage reads a message in either form. A protobuf message never begins with a brace, which would be a field
// of a kind that is not in use.
func decodeMessage(content []byte) (*pb.Message, error) {
	m := new(pb.Message)
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte("{")) {
		return m, jsonform.Unmarshal(content, m)
	}
	if len(content) == 0 {
		return m, io.ErrUnexpectedEOF
	}
	return m, proto.Unmarshal(content, m)
}
