package message

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/input"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/term"
	"makechain/message"
)

// maxFile is the largest size of a file with a message, in bytes. As JSON a message takes about twice its own size.
const maxFile = 4 * message.MaxSize

func newSubmitCommand() *cobra.Command {
	var flags query.Flags
	var wait submit.WaitFlags
	command := &cobra.Command{
		Use:   "submit [file]",
		Short: "Submit a signed message from a file or from standard input",
		Long: `The message is in the JSON form of the gateway and of "message get --json", or protobuf.
A message that is already committed is not applied again.`,
		Example: "  makechain message submit message.json\n  makechain message submit --wait=false < message.bin",
		Args:    usage.Args("[a file]"),
		RunE: func(command *cobra.Command, args []string) error {
			m, err := read(command, args)
			if err != nil {
				return err
			}
			return flags.Run(command, func(q *query.Query) error { return submitSigned(q, &wait, m) })
		},
	}
	flags.Register(command)
	wait.Register(command.Flags())
	return command
}

// submitSigned submits a message that another program may have signed, and waits for its block.
func submitSigned(q *query.Query, wait *submit.WaitFlags, signed *pb.Message) error {
	m, refusal := message.Open(signed)
	if refusal != nil {
		refused := &client.RefusedError{Stage: refusal.Stage, Code: refusal.Code, Reason: refusal.Reason}
		copy(refused.Hash[:], signed.GetHash())
		return submit.PrintRefusal(q, refused)
	}
	ctx, cancel := context.WithTimeoutCause(q.Context(), wait.Timeout, submit.ErrTimeout)
	defer cancel()
	if err := q.Client.Submit(ctx, m); err != nil {
		return submit.PrintRefusal(q, err)
	}
	receipt := submit.Receipt{Envelope: m}
	if wait.Wait {
		progress := term.StartProgress(q.Command.ErrOrStderr(), "waiting for a block")
		defer progress.Stop()
		block, err := q.Client.AwaitCommitted(ctx, m.Hash)
		if err != nil {
			return submit.PrintRefusal(q, err)
		}
		receipt.Block = block
	}
	return submit.PrintReceipts(q, "committed "+m.Hash.String(), []submit.Receipt{receipt})
}

func newDryRunCommand() *cobra.Command {
	var flags query.Flags
	command := &cobra.Command{
		Use:     "dry-run [file]",
		Short:   "Validate a message without submitting it",
		Example: "  makechain message dry-run message.json",
		Args:    usage.Args("[a file]"),
		RunE: func(command *cobra.Command, args []string) error {
			m, err := read(command, args)
			if err != nil {
				return err
			}
			return flags.Run(command, func(q *query.Query) error {
				answer, err := client.Call(q.Context(), q.Client.DryRunMessage, &pb.DryRunMessageRequest{Message: m})
				if err != nil {
					return err
				}
				return printDryRun(q, answer)
			})
		},
	}
	flags.Register(command)
	return command
}

// printDryRun prints the result of a dry run. A message that would be refused fails the command as submitting it would.
func printDryRun(q *query.Query, answer *pb.DryRunMessageResponse) error {
	if answer.GetWouldAccept() {
		return q.Print(answer, func(p *output.Printer) { p.Line("would be accepted") })
	}
	if q.JSON() {
		if err := q.Print(answer, nil); err != nil {
			return err
		}
	}
	return fmt.Errorf("would be %w", &client.RefusedError{
		Stage: message.Stage(answer.GetErrorStage()), Code: message.Code(answer.GetCode()), Reason: answer.GetError(),
	})
}

// read reads a message from a file, or from standard input without a file or with "-".
func read(command *cobra.Command, args []string) (*pb.Message, error) {
	var content []byte
	var err error
	name := input.StandardInput
	switch in := command.InOrStdin(); {
	case len(args) > 0 && args[0] != "-":
		name = args[0]
		content, err = input.ReadFile(name, maxFile)
	case term.IsTerminal(in):
		return nil, usage.Errorf(command, "missing a file: a signed message cannot be typed")
	default:
		content, err = input.Read(in, name, maxFile)
	}
	if err != nil {
		return nil, err
	}
	m, err := input.DecodeMessage(content)
	if err != nil {
		return nil, usage.Advise(fmt.Errorf("%s is not a message: %w", name, err), "makechain message get <message> --json, which prints one")
	}
	return m, nil
}
