package node_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// subscription is a stream of a client.
type subscription[M any] struct {
	t      *testing.T
	stream *connect.ServerStreamForClient[M]
}

// subscribe opens a stream, which has all messages that are committed after subscribe returns.
func subscribe[Req, M any](
	t *testing.T, method func(context.Context, *connect.Request[Req]) (*connect.ServerStreamForClient[M], error), req *Req,
) *subscription[M] {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), nodetest.Timeout)
	stream, err := method(ctx, connect.NewRequest(req))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = stream.Close() // it ends with the context, which is no news
	})
	stream.ResponseHeader()
	return &subscription[M]{t, stream}
}

// next waits for the next item of the stream.
func (s *subscription[M]) next() *M {
	s.t.Helper()
	if !s.stream.Receive() {
		s.t.Fatalf("the stream ended: %v", s.stream.Err())
	}
	return s.stream.Msg()
}

// readStreams compares streams with the blocks: live, from the start, from the middle and filtered. Every stream is read up to
// a last message, so that repeated and additional messages are detected.
func (s *scenario) readStreams(t *testing.T) {
	liveMessages := subscribe(t, s.SubscribeMessages, &pb.SubscribeRequest{})
	liveBlocks := subscribe(t, s.SubscribeBlocks, &pb.SubscribeBlocksRequest{})
	s.alice.AdvanceClock()
	s.license += "+"
	marker := s.send(t, s.alice, message.ProjectMetadata(s.hello, pb.ProjectMetadataType_PROJECT_METADATA_LICENSE, s.license))
	s.settle(t)
	blocks := blocksOf(t, s.Client)
	var all []*pb.Message
	for _, block := range blocks {
		all = append(all, messagesOf(block)...)
	}
	last := all[len(all)-1]
	if ident.Hash(last.GetHash()) != marker {
		t.Fatalf("the last message is %v, want %s", last, marker)
	}
	same(t, "live message", liveMessages.next(), last)
	block := blocks[last.GetBlockNumber()]
	same(t, "live block", liveBlocks.next(), block)

	middle := all[len(all)/2]
	s.readStream(t, "from the start", &pb.SubscribeRequest{StartBlock: proto.Uint64(0)}, all)
	s.readStream(t, "from the middle", &pb.SubscribeRequest{
		StartBlock: new(middle.GetBlockNumber()), StartIndex: middle.GetIndex(),
	}, all[len(all)/2:])
	s.readFiltered(t, all)

	fromStart := subscribe(t, s.SubscribeBlocks, &pb.SubscribeBlocksRequest{StartBlock: proto.Uint64(1)})
	for _, want := range blocks[1:] {
		same(t, "block", fromStart.next(), want)
	}
	s.refuseStream(t, uint64(len(blocks)+1))
}

// readStream compares a stream with a list of messages.
func (s *scenario) readStream(t *testing.T, what string, req *pb.SubscribeRequest, want []*pb.Message) {
	t.Helper()
	stream := subscribe(t, s.SubscribeMessages, req)
	for i, m := range want {
		if got := stream.next(); !proto.Equal(got, m) {
			t.Fatalf("%s: message %d is %v, want %v", what, i, got, m)
		}
	}
}

// readFiltered reads streams from the start with each filter.
func (s *scenario) readFiltered(t *testing.T, all []*pb.Message) {
	t.Helper()
	owner, types := s.alice.Address(), []pb.MessageType{pb.MessageType_MESSAGE_TYPE_PROJECT_METADATA, pb.MessageType_MESSAGE_TYPE_REF_UPDATE}
	byAlice := func(m *pb.Message) bool { return bytes.Equal(m.GetData().GetOwnerAddress(), owner[:]) }
	ofType := func(m *pb.Message) bool { return slices.Contains(types, m.GetData().GetType()) }
	ofHello := func(m *pb.Message) bool {
		envelope, refusal := message.Open(m)
		return refusal == nil && slices.Contains(envelope.Projects(), s.hello)
	}
	for _, filter := range []struct {
		name    string
		req     *pb.SubscribeRequest
		belongs func(*pb.Message) bool
	}{
		{"by owner", &pb.SubscribeRequest{OwnerAddress: owner[:]}, byAlice},
		{"by type", &pb.SubscribeRequest{Types: types}, ofType},
		{"by project", &pb.SubscribeRequest{ProjectId: s.hello[:]}, ofHello},
		{
			"by all of them", &pb.SubscribeRequest{OwnerAddress: owner[:], Types: types, ProjectId: s.hello[:]},
			func(m *pb.Message) bool { return byAlice(m) && ofType(m) && ofHello(m) },
		},
	} {
		filter.req.StartBlock = proto.Uint64(1)
		want := slices.DeleteFunc(slices.Clone(all), func(m *pb.Message) bool { return !filter.belongs(m) })
		if len(want) < 2 || len(want) == len(all) {
			t.Fatalf("%s: %d of %d messages match, want some but not all", filter.name, len(want), len(all))
		}
		s.readStream(t, filter.name, filter.req, want)
	}
}

// refuseStream checks that a stream from a missing position is refused.
func (s *scenario) refuseStream(t *testing.T, number uint64) {
	t.Helper()
	stream, err := s.SubscribeMessages(t.Context(), connect.NewRequest(&pb.SubscribeRequest{StartBlock: &number}))
	if err != nil {
		t.Fatal(err)
	}
	if stream.Receive() || connect.CodeOf(stream.Err()) != connect.CodeOutOfRange {
		t.Errorf("block %d: %v", number, stream.Err())
	}
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
}

// TestSlowSubscriber checks that a subscriber that reads late, after far more messages than the connection buffers, receives all
// of them.
//
// Rules: P10.7.
func TestSlowSubscriber(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fills a buffer")
	}
	const bundles, bundleCommits = 30, 100 // 6 MiB; a client's connection buffers 4 MiB of a stream
	n := nodetest.Start(t, t.TempDir())
	author := nodetest.NewAccount(t)
	n.Register(author, 1, "author")
	project := author.Sign(message.ProjectCreate("large", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	roots := newCommits(t, author.Address())
	begin := author.Sign(message.CommitBundle(project.Hash, message.Content{}, roots...))
	n.Submit(t, project, begin)
	n.MustCommit(t, begin)

	messages := subscribe(t, n.SubscribeMessages, &pb.SubscribeRequest{ProjectId: project.Hash[:]})
	blocks := subscribe(t, n.SubscribeBlocks, &pb.SubscribeBlocksRequest{})
	var sent []*message.Envelope
	for range bundles {
		commits := newCommits(t, author.Address())
		for len(commits) < bundleCommits {
			commits = append(commits, newCommits(t, author.Address())...)
		}
		for i := range commits {
			commits[i].Parents = parentsIn(roots)
		}
		bundle := author.Sign(message.CommitBundle(project.Hash, message.Content{}, commits...))
		n.Submit(t, bundle)
		sent = append(sent, bundle)
	}
	n.MustCommit(t, sent...)
	var fromBlocks []*pb.Message
	for _, want := range sent {
		got := messages.next()
		if !bytes.Equal(got.GetHash(), want.Hash[:]) {
			t.Fatalf("got message %x, want %s", got.GetHash(), want.Hash)
		}
		for len(fromBlocks) == 0 {
			fromBlocks = messagesOf(blocks.next())
		}
		same(t, "message of a block", fromBlocks[0], got)
		fromBlocks = fromBlocks[1:]
	}
}

// parentsIn returns all commits of a history as parents, for a large commit.
func parentsIn(commits []message.Commit) []ident.Hash {
	var parents []ident.Hash
	for _, c := range commits {
		parents = append(parents, c.Hash)
	}
	return parents
}
