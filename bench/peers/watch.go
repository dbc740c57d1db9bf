package peers

import (
	"context"
	"sync"

	abci "github.com/cometbft/cometbft/abci/types"
)

// watched is an application with notifications of committed transactions.
type watched struct {
	abci.Application

	mu        sync.Mutex
	waiting   map[string]chan int64 // by transaction; guarded by mu
	decided   []chan int64          // of the current block; used by the consensus connection only
	pending   int                   // transactions of the current block; likewise
	height    int64                 // of the current block; likewise
	committed uint64                // transactions; guarded by mu
}

func newWatched(app abci.Application) *watched {
	return &watched{Application: app, waiting: make(map[string]chan int64)}
}

// await returns a channel that receives the height of the block with a transaction when it has committed. It must be called
// before the transaction is submitted.
func (w *watched) await(tx []byte) <-chan int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	done := make(chan int64, 1)
	w.waiting[string(tx)] = done
	return done
}

// total returns the number of committed transactions.
func (w *watched) total() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.committed
}

// FinalizeBlock collects the notifications of the block.
func (w *watched) FinalizeBlock(ctx context.Context, r *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	w.decided, w.pending, w.height = w.decided[:0], len(r.Txs), r.Height
	w.mu.Lock()
	for _, tx := range r.Txs {
		if done, awaited := w.waiting[string(tx)]; awaited {
			w.decided = append(w.decided, done)
			delete(w.waiting, string(tx))
		}
	}
	w.mu.Unlock()
	return w.Application.FinalizeBlock(ctx, r)
}

// Commit sends the notifications of the block.
func (w *watched) Commit(ctx context.Context, r *abci.RequestCommit) (*abci.ResponseCommit, error) {
	response, err := w.Application.Commit(ctx, r)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.committed += uint64(w.pending)
	w.mu.Unlock()
	for _, done := range w.decided {
		done <- w.height
	}
	return response, nil
}
