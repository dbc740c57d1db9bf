package mempool

import (
	"slices"
	"sync"

	"makechain/message"
)

const (
	// maxTogether is how many signatures are checked together, give or take a submission. More would gain little, and
	// the first would wait for the last.
	maxTogether = 512
	// knownSigners is how many keys are remembered.
	knownSigners = 4096
)

// signatures checks those of several submissions together, which costs less than each on its own. Who has got a place
// among the admissions does it for those who wait for one.
type signatures struct {
	verifier *message.Verifier

	mu      sync.Mutex
	waiting []*signed // guarded by mu
}

// signed is a submission whose signatures are to be checked.
type signed struct {
	messages []*message.Envelope
	verdicts []*message.Refusal
	checked  chan struct{} // closed when there are verdicts
}

// join has the signatures of messages checked with those of others.
func (s *signatures) join(messages []*message.Envelope) *signed {
	joined := &signed{messages: messages, checked: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, joined)
	return joined
}

// leave ends what join began, if nobody has begun to check it.
func (s *signatures) leave(left *signed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(w *signed) bool { return w == left })
}

// check gives what is to be said of the signatures of a submission, which it has checked with those of others, or
// somebody else has.
func (s *signatures) check(own *signed) []*message.Refusal {
	together := s.take(own)
	var all []*message.Envelope
	for _, submission := range together {
		all = append(all, submission.messages...)
	}
	// A bad one among them is the matter of its own submission alone.
	good := len(together) > 1 && s.verifier.All(all)
	for _, submission := range together {
		if good {
			submission.verdicts = make([]*message.Refusal, len(submission.messages))
		} else {
			submission.verdicts = s.verifier.Batch(submission.messages)
		}
		close(submission.checked)
	}
	<-own.checked
	return own.verdicts
}

// take lists a submission and others that wait, unless somebody else has taken it.
func (s *signatures) take(own *signed) (together []*signed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.waiting, own) {
		return nil
	}
	together, count := []*signed{own}, len(own.messages)
	s.waiting = slices.DeleteFunc(s.waiting, func(w *signed) bool {
		if w == own || count >= maxTogether {
			return w == own
		}
		together, count = append(together, w), count+len(w.messages)
		return true
	})
	return together
}
