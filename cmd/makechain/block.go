package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/term"
)

func newBlockCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "block",
		Short:   "Look at blocks",
		Example: "  makechain block get latest\n  makechain block list --limit 10",
	}
	command.AddCommand(newBlockGetCommand(), newBlockListCommand())
	return command
}

// latestBlock stands for the number of the latest block.
const latestBlock = "latest"

func newBlockGetCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:     "get [number]",
		Short:   "Show a block and its messages (the latest if you name none)",
		Example: "  makechain block get\n  makechain block get 12 --json",
		Args:    arguments("[number]"),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				number, err := blockNamed(ctx, command, c, args)
				if err != nil {
					return err
				}
				block, err := client.Call(ctx, c.GetBlock, &pb.GetBlockRequest{BlockNumber: number})
				if err != nil {
					return err
				}
				return r.print(command, block, func(p *term.Printer) { printBlock(ctx, p, newLabels(c, p), block) })
			})
		},
	}
	r.register(command)
	return command
}

// blockNamed is the number of the block that an argument names.
func blockNamed(ctx context.Context, command *cobra.Command, c *client.Client, args []string) (uint64, error) {
	if len(args) == 0 || args[0] == latestBlock {
		status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
		return status.GetCurrentBlock(), err
	}
	at, err := parsePlace(args[0])
	if err != nil || at.hasIndex {
		return 0, misused(command, "%q is no block: want a number, or %s", args[0], latestBlock)
	}
	return at.block, nil
}

func printBlock(ctx context.Context, p *term.Printer, l *labels, answer *pb.GetBlockResponse) {
	block, messages := answer.GetBlock(), blockMessages(answer)
	header := block.GetHeader()
	p.Facts(
		term.Fact{Label: "block", Value: p.Style(term.Bold, strconv.FormatUint(header.GetHeight().GetBlockNumber(), 10))},
		term.Fact{Label: "hash", Value: fullID(block.GetHash())},
		term.Fact{Label: "parent", Value: fullID(header.GetParentHash())},
		term.Fact{Label: "time", Value: p.Time(header.GetTimestamp())},
		term.Fact{Label: "state root", Value: fullID(header.GetStateRoot())},
		term.Fact{Label: "signatures", Value: strconv.Itoa(len(block.GetCommits().GetSignatures()))},
		term.Fact{Label: "messages", Value: strconv.Itoa(len(messages))},
	)
	if len(messages) == 0 {
		return
	}
	table := p.Table("PLACE", "HASH", "TYPE", "WHAT")
	for _, m := range messages {
		data := m.GetData()
		table.Row(place(m.GetBlockNumber(), m.GetIndex()), p.ID(m.GetHash()), typeWord(data.GetType()),
			l.account(ctx, data.GetOwnerAddress())+" "+describeBody(ctx, p, l, data))
	}
	table.Print("")
}

func newBlockListCommand() *cobra.Command {
	var r remote
	var start uint64
	var limit uint32
	command := &cobra.Command{
		Use:     "list",
		Short:   "List blocks, the newest first",
		Example: "  makechain block list --limit 10\n  makechain block list --from 1200",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if limit < 1 || limit > maxPage {
				return misused(command, "--limit: %d is not between 1 and %d", limit, maxPage)
			}
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				list, err := client.Call(ctx, c.ListBlocks, &pb.ListBlocksRequest{Start: start, Limit: limit})
				if err != nil {
					return err
				}
				return r.print(command, list, func(p *term.Printer) { printBlocks(p, list) })
			})
		},
	}
	r.register(command)
	command.Flags().Uint64Var(&start, "from", 0, "the block to begin with, going down (default the latest)")
	command.Flags().Uint32Var(&limit, "limit", 20, "how many to show, 1 to 200")
	return command
}

func printBlocks(p *term.Printer, list *pb.ListBlocksResponse) {
	table := p.Table("BLOCK", "HASH", "TIME", "MESSAGES", "STATE ROOT")
	lowest := uint64(0)
	for _, answer := range list.GetBlocks() {
		header := answer.GetBlock().GetHeader()
		lowest = header.GetHeight().GetBlockNumber()
		table.Row(strconv.FormatUint(lowest, 10), p.ID(answer.GetBlock().GetHash()), p.Time(header.GetTimestamp()),
			strconv.Itoa(len(blockMessages(answer))), p.ID(header.GetStateRoot()))
	}
	table.Print("no blocks")
	if lowest > 1 { // a list that is asked to begin with 0 begins with the latest
		p.Line("%s", p.Style(term.Dim, fmt.Sprintf("more with --from %d", lowest-1)))
	}
}
