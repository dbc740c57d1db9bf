package mempool

import (
	"strconv"
	"testing"

	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestSignaturesTogether has one submission checked with those that wait. Who sent a bad signature is the only one to
// hear of it; who left is not asked for; and what does not fit waits for the next.
//
// Rules: P2.4.
func TestSignaturesTogether(t *testing.T) {
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
			s := signatures{verifier: message.NewVerifier(1)}
			first, second, gone := s.join(batch(2)), s.join(test.second), s.join(batch(1))
			large, late := s.join(batch(maxTogether)), s.join(batch(1))
			s.leave(gone)
			for i, refusal := range s.check(first) {
				if refusal != nil {
					t.Errorf("message %d of the first: %v", i, refusal)
				}
			}
			if len(s.waiting) != 1 || s.waiting[0] != late {
				t.Fatalf("%d submissions wait, want the last alone", len(s.waiting))
			}
			<-large.checked
			if gone.verdicts != nil {
				t.Error("a submission was checked that had left")
			}
			for i, refusal := range s.check(second) {
				if (refusal != nil) != (i == test.bad) {
					t.Errorf("message %d of the second: %v", i, refusal)
				}
			}
			if verdicts := s.check(late); len(verdicts) != 1 || verdicts[0] != nil || len(s.waiting) != 0 {
				t.Errorf("verdicts %v of the last, %d wait", verdicts, len(s.waiting))
			}
		})
	}
}
