// Package block has the commands about blocks.
package block

import (
	"context"
	"encoding/hex"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/term"
)

// latest is the argument that stands for the latest block.
const latest = "latest"

// defaultBlocks is the number of blocks that list prints by default.
const defaultBlocks = 20

// New returns the command block.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:     "block",
		Short:   "Show and list blocks",
		Example: "  makechain block get latest\n  makechain block list --limit 10",
	}
	command.AddCommand(newGetCommand(), newListCommand())
	return command
}

func newGetCommand() *cobra.Command {
	return query.Show(&cobra.Command{
		Use:     "get [number]",
		Short:   "Show a block and its messages (default: the latest)",
		Example: "  makechain block get\n  makechain block get 12 --json",
		Args:    usage.Args("[number]"),
	}, query.Showing[uint64, *pb.GetBlockResponse]{
		Resolve: resolveNumber,
		Fetch: func(ctx context.Context, c *client.Client, number uint64) (*pb.GetBlockResponse, error) {
			return client.Call(ctx, c.GetBlock, &pb.GetBlockRequest{BlockNumber: number})
		},
		Print: printBlock,
	})
}

// resolveNumber returns the block number that an optional argument names.
func resolveNumber(q *query.Query, args []string) (uint64, error) {
	if len(args) == 0 || args[0] == latest {
		status, err := client.Call(q.Context(), q.Client.GetNodeStatus, &pb.GetNodeStatusRequest{})
		return status.GetCurrentBlock(), err
	}
	at, err := query.ParsePosition(args[0])
	if err != nil || at.HasIndex {
		return 0, usage.Errorf(q.Command, "%q is not a block: want a number, or %s", args[0], latest)
	}
	return at.Block, nil
}

func printBlock(p *output.Printer, answer *pb.GetBlockResponse) {
	block, messages := answer.GetBlock(), query.BlockMessages(answer)
	header := block.GetHeader()
	p.Facts(
		term.Fact{Label: "block", Value: p.Style(term.Bold, output.Number(header.GetHeight().GetBlockNumber()))},
		term.Fact{Label: "hash", Value: hex.EncodeToString(block.GetHash())},
		term.Fact{Label: "parent", Value: hex.EncodeToString(header.GetParentHash())},
		term.Fact{Label: "time", Value: p.Time(header.GetTimestamp())},
		term.Fact{Label: "state root", Value: hex.EncodeToString(header.GetStateRoot())},
		term.Fact{Label: "signatures", Value: output.Number(len(block.GetCommits().GetSignatures()))},
		term.Fact{Label: "messages", Value: output.Number(len(messages))},
	)
	if len(messages) == 0 {
		return
	}
	table := p.Table("POSITION", "HASH", "TYPE", "SUMMARY")
	for _, m := range messages {
		data := m.GetData()
		table.Row(query.PositionOf(m).String(), p.ID(m.GetHash()), output.Type(data.GetType()),
			p.Account(data.GetOwnerAddress())+" "+p.Summary(data))
	}
	table.Print("")
}

func newListCommand() *cobra.Command {
	var start uint64
	command := query.List(&cobra.Command{
		Use:     "list",
		Short:   "List blocks, the newest first",
		Example: "  makechain block list --limit 10\n  makechain block list --from 1200",
		Args:    cobra.NoArgs,
	}, query.Listing[uint64, *pb.ListBlocksResponse, *pb.GetBlockResponse]{
		Resolve: func(*query.Query, []string) (uint64, error) { return start, nil },
		Fetch: func(ctx context.Context, c *client.Client, start uint64, limit uint32, cursor []byte) (*pb.ListBlocksResponse, error) {
			return client.Call(ctx, c.ListBlocks, &pb.ListBlocksRequest{Start: start, Limit: limit, Cursor: cursor})
		},
		Columns: []string{"BLOCK", "HASH", "TIME", "MESSAGES", "STATE ROOT"},
		Items:   (*pb.ListBlocksResponse).GetBlocks,
		Row: func(p *output.Printer, _ uint64, block *pb.GetBlockResponse) []string {
			header := block.GetBlock().GetHeader()
			return []string{
				output.Number(header.GetHeight().GetBlockNumber()), p.ID(block.GetBlock().GetHash()), p.Time(header.GetTimestamp()),
				output.Number(len(query.BlockMessages(block))), p.ID(header.GetStateRoot()),
			}
		},
		Empty: "no blocks",
		Limit: defaultBlocks,
	})
	command.Flags().Uint64Var(&start, "from", 0, "number of the first block, counting down (default the latest)")
	return command
}
