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

// A stream of all messages would cost more than what is measured, so streams show those of some people alone.
const (
	maxSampledAccounts = 8
	// accountsPerSample keeps what streams show to a hundredth of the messages.
	accountsPerSample = 100
)

func sampledAccounts(accounts int) int {
	return max(1, min(maxSampledAccounts, accounts/accountsPerSample))
}

// subscribe opens a stream for each witness. When it returns the streams miss nothing.
func (r *run) subscribe(ctx context.Context, watching *errgroup.Group) error {
	for i := range r.plan.Sampled {
		owner := r.bench.population.Accounts[i].Address()
		node := r.bench.clients[r.bench.nodeOf(r.plan.LaneOf(i))]
		stream, err := node.SubscribeMessages(ctx, connect.NewRequest(&pb.SubscribeRequest{OwnerAddress: owner[:]}))
		if err != nil {
			return err
		}
		_ = stream.ResponseHeader() // they come when the stream has begun
		watching.Go(func() error {
			for stream.Receive() {
				if hash, ok := ident.HashFrom(stream.Msg().GetHash()); ok {
					r.witnessed(hash)
				}
			}
			return stream.Err()
		})
	}
	return nil
}

// expect notes when messages of witnesses were due.
func (r *run) expect(request *workload.Request, due time.Time) {
	if len(request.Sampled) == 0 || !r.measures(due) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, hash := range request.Sampled {
		r.due[hash] = due
	}
}

func (r *run) witnessed(hash ident.Hash) {
	now := time.Now()
	r.mu.Lock()
	due, expected := r.due[hash]
	delete(r.due, hash)
	r.mu.Unlock()
	if expected {
		r.streamed.Record(now.Sub(due))
	}
}

// expected is how many messages streams have yet to show.
func (r *run) expected() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.due)
}
