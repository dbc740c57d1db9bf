package faults_test

import (
	"context"
	"slices"
	"sync"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// place is where a message stands in the chain.
type place struct {
	height uint64
	index  uint32
}

// heard is a message of a stream.
type heard struct {
	hash ident.Hash
	at   place
}

// listener follows the messages of one node. When the stream ends it goes on from behind the last it heard.
type listener struct {
	of *member

	mu    sync.Mutex
	heard []heard // guarded by mu
}

// listen follows the stream until ctx ends.
func (l *listener) listen(ctx context.Context) {
	for {
		l.follow(ctx)
		if !rest(ctx, retryPause) {
			return
		}
	}
}

// follow listens until the stream ends, for whatever reason.
func (l *listener) follow(ctx context.Context) {
	next := l.next()
	request := &pb.SubscribeRequest{StartBlock: &next.height, StartIndex: next.index}
	stream, err := l.of.SubscribeMessages(ctx, connect.NewRequest(request))
	if err != nil {
		return
	}
	defer func() { _ = stream.Close() }() // it has ended
	for stream.Receive() {
		m := stream.Msg()
		l.mu.Lock()
		l.heard = append(l.heard, heard{ident.Hash(m.GetHash()), place{m.GetBlockNumber(), m.GetIndex()}})
		l.mu.Unlock()
	}
}

// next is the place behind the last message that was heard.
func (l *listener) next() place {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.heard) == 0 {
		return place{height: 1}
	}
	last := l.heard[len(l.heard)-1].at
	return place{last.height, last.index + 1}
}

// all is what the listener has heard so far.
func (l *listener) all() []heard {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clip(l.heard)
}
