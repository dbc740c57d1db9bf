package block

import (
	"context"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/cli/clitest"
	"makechain/internal/cli/usage"
)

// chain is a fake service with the blocks 1 to 3.
type chain struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler
}

// ListBlocks returns blocks from a start downwards.
func (chain) ListBlocks(_ context.Context, r *connect.Request[pb.ListBlocksRequest]) (*connect.Response[pb.ListBlocksResponse], error) {
	start := r.Msg.GetStart()
	if start == 0 {
		start = 3
	}
	if cursor := r.Msg.GetCursor(); len(cursor) > 0 {
		start = uint64(cursor[0])
	}
	list := new(pb.ListBlocksResponse)
	for number := start; number > 0 && len(list.GetBlocks()) < int(r.Msg.GetLimit()); number-- {
		list.Blocks = append(list.Blocks, &pb.GetBlockResponse{Block: &pb.Block{
			Hash:   []byte{byte(number), 0xaa, 0xbb, 0xcc},
			Header: &pb.BlockHeader{Height: &pb.Height{BlockNumber: number}, StateRoot: []byte{1, 2, 3, 4}},
		}})
	}
	if lowest := start - uint64(len(list.GetBlocks())); lowest > 0 {
		list.NextCursor = []byte{byte(lowest)}
	}
	return connect.NewResponse(list), nil
}

// TestList checks the table of blocks, how it continues, and invalid limits.
func TestList(t *testing.T) {
	t.Parallel()
	node := clitest.Serve(t, chain{})
	stdout, stderr, err := clitest.Run(t.Context(), New(), "list", "--limit", "2", "--node", node, "--config-dir", t.TempDir())
	if err != nil || stderr != "" {
		t.Fatalf("%v, %q", err, stderr)
	}
	want := "BLOCK  HASH      TIME  MESSAGES  STATE ROOT\n" +
		"3      03aabbcc  -     0         01020304\n" +
		"2      02aabbcc  -     0         01020304\n" +
		"more with --all, or --cursor 01\n"
	if stdout != want {
		t.Errorf("printed\n%s, want\n%s", stdout, want)
	}
	stdout, _, err = clitest.Run(t.Context(), New(), "list", "--limit", "2", "--cursor", "01", "--node", node, "--config-dir", t.TempDir())
	if err != nil || !strings.Contains(stdout, "\n1      01aabbcc") || strings.Contains(stdout, "more") {
		t.Errorf("the second page is %q, %v", stdout, err)
	}
	stdout, _, err = clitest.Run(t.Context(), New(), "list", "--from", "1", "--json", "--node", node, "--config-dir", t.TempDir())
	if err != nil || !strings.HasPrefix(stdout, `{"blocks":[`) {
		t.Errorf("JSON %q, %v", stdout, err)
	}
	for _, args := range [][]string{{"list", "--limit", "0"}, {"list", "--limit", "201"}, {"get", "twelve"}} {
		if _, _, err := clitest.Run(t.Context(), New(), append(args, "--node", node)...); usage.ExitCode(err) != usage.ExitUsage {
			t.Errorf("%v: %v", args, err)
		}
	}
}
