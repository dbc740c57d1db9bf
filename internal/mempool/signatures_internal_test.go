package mempool

import (
	"strconv"
	"testing"

	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestSignatureQueue checks that a submission is verified together with queued ones, that a bad signature affects only
// its own submission, that canceled submissions are skipped, and that those beyond the batch size stay queued.
//
// Rules: P2.4.
func TestSignatureQueue(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	alice := w.Actor("alice")
	batch := func(size int) []*message.Envelope {
		messages := make([]*message.Envelope, size)
		for i := range messages {
			messages[i] = w.Sign(alice, message.ProjectArchive(ledgertest.Hash(strconv.Itoa(i))))
		}
		return messages
	}
	forged := batch(3)
	forged[1].Signature[0] ^= 1
	for _, test := range []struct {
		name   string
		second []*message.Envelope
		bad    int // index of the bad one in it
	}{
		{"all good", batch(3), -1},
		{"one bad", forged, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			q := signatureQueue{verifier: message.NewVerifier(1)}
			first, second, canceled := q.enqueue(batch(2)), q.enqueue(test.second), q.enqueue(batch(1))
			large, last := q.enqueue(batch(maxVerifyBatch)), q.enqueue(batch(1))
			q.cancel(canceled)
			for i, refusal := range q.verify(first) {
				if refusal != nil {
					t.Errorf("message %d of the first submission: %v", i, refusal)
				}
			}
			if len(q.queued) != 1 || q.queued[0] != last {
				t.Fatalf("%d submissions are queued, want only the last", len(q.queued))
			}
			<-large.verified
			if canceled.refusals != nil {
				t.Error("a canceled submission was verified")
			}
			for i, refusal := range q.verify(second) {
				if (refusal != nil) != (i == test.bad) {
					t.Errorf("message %d of the second submission: %v", i, refusal)
				}
			}
			if refusals := q.verify(last); len(refusals) != 1 || refusals[0] != nil || len(q.queued) != 0 {
				t.Errorf("refusals %v of the last submission, %d queued", refusals, len(q.queued))
			}
		})
	}
}

// TestSignatureQueueHelps checks that a submission verifies queued ones while another goroutine verifies its own signatures.
func TestSignatureQueueHelps(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	alice := w.Actor("alice")
	sign := func(id string) []*message.Envelope {
		return []*message.Envelope{w.Sign(alice, message.ProjectArchive(ledgertest.Hash(id)))}
	}
	q := signatureQueue{verifier: message.NewVerifier(1)}
	own := q.enqueue(sign("own"))
	taken := q.dequeue(own) // by a goroutine that verifies it later
	other := q.enqueue(sign("other"))
	refusals := make(chan []*message.Refusal)
	go func() { refusals <- q.verify(own) }()
	<-other.verified
	select {
	case <-refusals:
		t.Error("verify returned before the submission was verified")
	default:
	}
	q.verifyBatch(taken)
	if got := <-refusals; len(got) != 1 || got[0] != nil || other.refusals[0] != nil {
		t.Errorf("refusals %v and %v, want none", got, other.refusals)
	}
	q.enqueue(sign("later"))
	q.verify(own)
	if len(q.queued) != 1 {
		t.Error("verify of a verified submission verified another one")
	}
}
