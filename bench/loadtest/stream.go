package loadtest

import (
	"context"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/sync/errgroup"

	"makechain/bench/workload"
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// A stream of all messages would cost more than the load itself, so only messages of some accounts are subscribed to.
const (
	maxSampledAccounts = 8
	// accountsPerSample keeps streamed messages at a hundredth of all.
	accountsPerSample = 100
)

func sampledAccounts(accounts int) int {
	return max(1, min(maxSampledAccounts, accounts/accountsPerSample))
}

// subscribe opens a stream for each sampled account. When it returns the streams deliver all later messages.
func (r *run) subscribe(ctx context.Context, watching *errgroup.Group) error {
	for i := range r.plan.Sampled {
		owner := r.generator.population.Accounts[i].Address()
		node := r.generator.clients[r.generator.nodeOf(r.plan.LaneOf(i))]
		stream, err := node.SubscribeMessages(ctx, connect.NewRequest(&pb.SubscribeRequest{OwnerAddress: owner[:]}))
		if err != nil {
			return err
		}
		_ = stream.ResponseHeader() // waits until the stream has started
		watching.Go(func() error {
			for stream.Receive() {
				if hash, ok := ident.HashFrom(stream.Msg().GetHash()); ok {
					r.received(hash)
				}
			}
			return stream.Err()
		})
	}
	return nil
}

// expect records the due time of messages of sampled accounts.
func (r *run) expect(request *workload.Request, due time.Time) {
	if len(request.Sampled) == 0 || !r.inWindow(due) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, hash := range request.Sampled {
		r.due[hash] = due
	}
}

func (r *run) received(hash ident.Hash) {
	now := time.Now()
	r.mu.Lock()
	due, isAwaited := r.due[hash]
	delete(r.due, hash)
	r.mu.Unlock()
	if isAwaited {
		r.streamed.Record(now.Sub(due))
	}
}

// awaited returns the number of messages that streams have not delivered yet.
func (r *run) awaited() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.due)
}
