package faults_test

import (
	"context"
	"slices"
	"sync"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// location is the position of a message in the chain.
type location struct {
	height uint64
	index  uint32
}

// delivered is a message of a stream.
type delivered struct {
	hash ident.Hash
	at   location
}

// listener subscribes to the messages of one node. When the stream ends it resumes after the last message.
type listener struct {
	of *member

	mu        sync.Mutex
	delivered []delivered // guarded by mu
}

// listen subscribes until ctx ends.
func (l *listener) listen(ctx context.Context) {
	for {
		l.follow(ctx)
		if !sleep(ctx, retryInterval) {
			return
		}
	}
}

// follow reads one stream until it ends.
func (l *listener) follow(ctx context.Context) {
	next := l.next()
	request := &pb.SubscribeRequest{StartBlock: &next.height, StartIndex: next.index}
	stream, err := l.of.SubscribeMessages(ctx, connect.NewRequest(request))
	if err != nil {
		return
	}
	defer func() { _ = stream.Close() }() // ended
	for stream.Receive() {
		m := stream.Msg()
		l.mu.Lock()
		l.delivered = append(l.delivered, delivered{ident.Hash(m.GetHash()), location{m.GetBlockNumber(), m.GetIndex()}})
		l.mu.Unlock()
	}
}

// next returns the location after the last message.
func (l *listener) next() location {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.delivered) == 0 {
		return location{height: 1}
	}
	last := l.delivered[len(l.delivered)-1].at
	return location{last.height, last.index + 1}
}

// all returns the messages so far.
func (l *listener) all() []delivered {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clip(l.delivered)
}
