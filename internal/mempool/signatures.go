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
// submission that acquires an admission slot verifies for those that wait for one.
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

// verify returns the results for the signatures of a submission. Unless another goroutine verifies it already, verify
// does so together with other queued submissions.
func (q *signatureQueue) verify(own *submission) []*message.Refusal {
	batch := q.dequeue(own)
	var messages []*message.Envelope
	for _, s := range batch {
		messages = append(messages, s.messages...)
	}
	// When the batch contains a bad signature, every submission is verified on its own.
	allValid := len(batch) > 1 && q.verifier.All(messages)
	for _, s := range batch {
		if allValid {
			s.refusals = make([]*message.Refusal, len(s.messages))
		} else {
			s.refusals = q.verifier.Batch(s.messages)
		}
		close(s.verified)
	}
	<-own.verified
	return own.refusals
}

// dequeue removes a submission and others from the queue and returns them. It returns nil when the submission is no
// longer queued.
func (q *signatureQueue) dequeue(own *submission) (batch []*submission) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Contains(q.queued, own) {
		return nil
	}
	batch, count := []*submission{own}, len(own.messages)
	q.queued = slices.DeleteFunc(q.queued, func(s *submission) bool {
		if s == own || count >= maxVerifyBatch {
			return s == own
		}
		batch, count = append(batch, s), count+len(s.messages)
		return true
	})
	return batch
}
