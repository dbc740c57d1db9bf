package rpc_test

import (
	"context"
	"fmt"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/feed"
	"makechain/message"
)

// subscribe opens a stream of messages and waits for its headers.
func (n *node) subscribe(t *testing.T, req *pb.SubscribeRequest) *connect.ServerStreamForClient[pb.Message] {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	t.Cleanup(cancel)
	stream, err := n.client.SubscribeMessages(ctx, connect.NewRequest(req))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = stream.Close() // ends with the call it was cut off from
	})
	stream.ResponseHeader() // comes when the stream has begun
	return stream
}

// expectMessages checks the hashes and positions of the next messages.
func expectMessages(t *testing.T, stream *connect.ServerStreamForClient[pb.Message], want ...*message.Envelope) (last *pb.Message) {
	t.Helper()
	for i, m := range want {
		if !stream.Receive() {
			t.Fatalf("the stream ends after %d messages: %v", i, stream.Err())
		}
		if got := stream.Msg(); string(got.GetHash()) != string(m.Hash[:]) || got.GetBlockNumber() == 0 {
			t.Fatalf("message %d is a %s in block %d, want a %s", i, got.GetData().GetType(), got.GetBlockNumber(), m.Type())
		}
		last = stream.Msg()
	}
	return last
}

// TestStreamFromNow checks that a client that has received the headers misses no later message.
//
// Rules: P10.7.
func TestStreamFromNow(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	everything := s.subscribe(t, &pb.SubscribeRequest{})
	ofHello := s.subscribe(t, &pb.SubscribeRequest{ProjectId: s.hello[:]})
	ofBobby := s.subscribe(t, &pb.SubscribeRequest{OwnerAddress: s.bobby.Address[:], Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_LINK_ADD}})
	s.must() // what was pending all along
	star, follow := s.sign(s.alice, message.Star(s.hello)), s.sign(s.bobby, message.Star(s.mine))
	s.must(star)
	s.must(follow)
	expectMessages(t, everything, s.pending, s.pushed, star, follow)
	expectMessages(t, ofHello, star)
	expectMessages(t, ofBobby, follow)
}

// TestStreamResumes checks that a client that reconnects after every few messages receives all messages once and in order.
//
// Rules: P10.7.
func TestStreamResumes(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{ring: feed.Options{RingBlocks: 2}}) // nearly all must come from disk
	alice := n.actor("alice")
	sent := n.join(alice, 3)
	n.must(sent...)
	for i := range 20 {
		create := n.create(alice, fmt.Sprintf("project-%d", i))
		sent = append(sent, create)
		n.must(create)
	}
	next := &pb.SubscribeRequest{StartBlock: new(uint64(0))}
	for count := 1; len(sent) > 0; count++ {
		part := sent[:min(count, len(sent))]
		sent = sent[len(part):]
		stream := n.subscribe(t, next)
		last := expectMessages(t, stream, part...)
		next = &pb.SubscribeRequest{StartBlock: new(last.GetBlockNumber()), StartIndex: last.GetIndex() + 1}
	}
}

// TestStreamPositions checks the errors for positions that are out of range.
//
// Rules: P10.7.
func TestStreamPositions(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{ring: feed.Options{RingBlocks: 1}})
	for range 5 {
		n.next()
	}
	n.blocks.prune(4)
	n.expectError(t, "SubscribeMessages", &pb.SubscribeRequest{StartBlock: new(uint64(3))}, connect.CodeOutOfRange, "blocks 4 to 5")
	n.expectError(t, "SubscribeBlocks", &pb.SubscribeBlocksRequest{StartBlock: new(uint64(3))}, connect.CodeOutOfRange, "blocks 4 to 5")
	n.expectResponse(t, "SubscribeBlocks", &pb.SubscribeBlocksRequest{StartBlock: new(uint64(4))}, n.blocks.kept[4])
}

// TestBlockStream checks that a stream has every block, and its end when the node stops.
//
// Rules: P10.7.
func TestBlockStream(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	n.next()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	stream, err := n.client.SubscribeBlocks(ctx, connect.NewRequest(&pb.SubscribeBlocksRequest{}))
	if err != nil {
		t.Fatal(err)
	}
	stream.ResponseHeader()
	for want := uint64(2); want < 10; want++ {
		n.next()
		if !stream.Receive() {
			t.Fatal(stream.Err())
		}
		if got := stream.Msg().GetBlock().GetHeader().GetHeight().GetBlockNumber(); got != want {
			t.Fatalf("block %d, want %d", got, want)
		}
	}
	n.feed.Close()
	if stream.Receive() || connect.CodeOf(stream.Err()) != connect.CodeUnavailable {
		t.Errorf("after the node stopped: %v", stream.Err())
	}
}
