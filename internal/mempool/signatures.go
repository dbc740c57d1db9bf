package mempool

import (
	"slices"
	"sync"

	"makechain/message"
)

const (
	// maxVerifyBatch is the number of signatures after which no further submission joins a batch. Larger batches gain
	// nothing that can be measured, and every submission waits for the whole batch, also when it has a slot already.
	maxVerifyBatch = 200
	// cachedKeys is the number of signer keys that the verifier caches.
	cachedKeys = 4096
)

// signatureQueue verifies the signatures of several submissions in one batch, which is cheaper than one by one. The
// submission that acquires an admission slot verifies for those that wait for one, also while another one verifies for it.
type signatureQueue struct {
	verifier *message.Verifier

	mu     sync.Mutex
	queued []*submission // guarded by mu
}

// submission is a list of messages whose signatures are verified together.
type submission struct {
	messages []*message.Envelope
	refusals []*message.Refusal // set when verified is closed
	verified chan struct{}
}

// enqueue queues messages for verification with other submissions.
func (q *signatureQueue) enqueue(messages []*message.Envelope) *submission {
	s := &submission{messages: messages, verified: make(chan struct{})}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queued = append(q.queued, s)
	return s
}

// cancel removes a submission that is still queued.
func (q *signatureQueue) cancel(canceled *submission) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queued = slices.DeleteFunc(q.queued, func(s *submission) bool { return s == canceled })
}

// verify returns the results for the signatures of a submission. If another goroutine verifies it already, verify meanwhile
// verifies others that are queued: its caller has an admission slot, and a core would be idle otherwise.
func (q *signatureQueue) verify(own *submission) []*message.Refusal {
	for {
		select {
		case <-own.verified:
			return own.refusals
		default:
		}
		batch := q.dequeue(own)
		if len(batch) == 0 {
			<-own.verified
			return own.refusals
		}
		q.verifyBatch(batch)
	}
}

// verifyBatch verifies submissions together. If one has a bad signature, each is verified on its own.
func (q *signatureQueue) verifyBatch(batch []*submission) {
	var messages []*message.Envelope
	for _, s := range batch {
		messages = append(messages, s.messages...)
	}
	allValid := len(batch) > 1 && q.verifier.All(messages)
	for _, s := range batch {
		if allValid {
			s.refusals = make([]*message.Refusal, len(s.messages))
		} else {
			s.refusals = q.verifier.Batch(s.messages)
		}
		close(s.verified)
	}
}

// dequeue removes submissions from the queue and returns them: the given one, if it is still queued, and others up to
// maxVerifyBatch signatures.
func (q *signatureQueue) dequeue(own *submission) (batch []*submission) {
	q.mu.Lock()
	defer q.mu.Unlock()
	count := 0
	if i := slices.Index(q.queued, own); i >= 0 {
		q.queued = slices.Delete(q.queued, i, i+1)
		batch, count = append(batch, own), len(own.messages)
	}
	q.queued = slices.DeleteFunc(q.queued, func(s *submission) bool {
		if count >= maxVerifyBatch {
			return false
		}
		batch, count = append(batch, s), count+len(s.messages)
		return true
	})
	return batch
}
