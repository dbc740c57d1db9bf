package history

import (
	"context"
	"errors"
	"testing"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/cli/clitest"
	"makechain/message"
)

// threeCommits is a fake service with a history of three commits, one per page. Its ancestors fail after pages of them.
type threeCommits struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler

	pages byte
}

// commitNumber returns a commit of the history, 0 being the root.
func commitNumber(number byte) *pb.CommitMeta {
	hash := message.Hash{number}
	commit := &pb.CommitMeta{Hash: hash[:]}
	if number > 0 {
		parent := message.Hash{number - 1}
		commit.Parents = [][]byte{parent[:]}
	}
	return commit
}

func (s threeCommits) GetCommitAncestors(
	_ context.Context, r *connect.Request[pb.GetCommitAncestorsRequest],
) (*connect.Response[pb.GetCommitAncestorsResponse], error) {
	number := byte(2)
	if cursor := r.Msg.GetCursor(); len(cursor) > 0 {
		number = cursor[0] - 1
	}
	if 2-number >= s.pages {
		return nil, connect.NewError(connect.CodeOutOfRange, errors.New("too many open lines"))
	}
	page := &pb.GetCommitAncestorsResponse{Commits: []*pb.CommitMeta{commitNumber(number)}}
	if number > 0 {
		page.NextCursor = []byte{number}
	}
	return connect.NewResponse(page), nil
}

func (threeCommits) ListCommits(context.Context, *connect.Request[pb.ListCommitsRequest]) (*connect.Response[pb.ListCommitsResponse], error) {
	list := new(pb.ListCommitsResponse)
	for number := range byte(3) {
		list.Commits = append(list.Commits, &pb.GetCommitResponse{Commit: commitNumber(number)})
	}
	return connect.NewResponse(list), nil
}

// TestRead checks that pages of ancestors are read when they are needed and not before, and that all commits are listed if the
// node cannot list the ancestors.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, pages := range []byte{3, 2, 1, 0} {
		chain, err := client.New(clitest.Serve(t, threeCommits{pages: pages}))
		if err != nil {
			t.Fatal(err)
		}
		defer chain.Close()
		graph, err := Read(t.Context(), chain, message.Hash{9}, message.Hash{2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		stop := errors.New("stop")
		if err := graph.Walk(func(*pb.CommitMeta) error { return stop }); !errors.Is(err, stop) || pages > 0 && len(graph.commits) != 1 {
			t.Errorf("%d pages of ancestors: %d commits were read for the first one; error %v", pages, len(graph.commits), err)
		}
		var order []byte
		err = graph.Walk(func(commit *pb.CommitMeta) error {
			order = append(order, commit.GetHash()[0])
			return nil
		})
		if err != nil || string(order) != "\x02\x01\x00" || graph.MissingParents() != 0 {
			t.Errorf("%d pages of ancestors: order %v, error %v", pages, order, err)
		}
	}
}
