package mempool_test

import (
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/consensus"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestCatchingUp checks that a node that is catching up reports refusals that depend on the state as unavailable, with the
// number of missing blocks, and all others unchanged.
//
// Rules: P10.1, P10.5.
func TestCatchingUp(t *testing.T) {
	t.Parallel()
	c := newChain(t, 2)
	alice := c.Join("alice", 1)
	c.Commit()
	forged := *c.create(alice, "forged")
	forged.Signature[0] ^= 1
	pending := c.create(alice, "pending")
	c.mustSubmit(pending)
	for _, test := range []struct {
		name      string
		m         *message.Envelope
		code      message.Code // when the node is not catching up
		stateless bool
	}{
		{"signature", &forged, message.CodeBadSignature, true},
		{"field", c.create(alice, "-"), message.CodeInvalidField, true},
		{"pending", pending, message.CodeDuplicate, true},
		{"signer", c.Sign(alice.With("unknown"), message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "")), message.CodeUnknownSigner, false},
		{"project", c.Sign(alice, message.ProjectRemove(ledgertest.Hash("none"))), message.CodeUnknownProject, false},
	} {
		for _, behind := range []struct {
			consensus.Status
			suffix string
		}{
			{},
			{Status: consensus.Status{Behind: 3}},
			{consensus.Status{CatchingUp: true}, "behind by an unknown number of blocks"},
			{consensus.Status{CatchingUp: true, Behind: 120}, "behind by 120 blocks"},
		} {
			c.status = behind.Status
			want := test.code
			if behind.CatchingUp && !test.stateless {
				want = message.CodeUnavailable
			}
			dry, err := c.pool.DryRun(t.Context(), test.m)
			if err != nil {
				t.Fatal(err)
			}
			for _, refusal := range []*message.Refusal{c.submit(test.m), dry} {
				if refusal == nil || refusal.Code != want || want == message.CodeUnavailable && !strings.HasSuffix(refusal.Reason, behind.suffix) {
					t.Errorf("%s with %+v: %v, want %s", test.name, behind.Status, refusal, want)
				}
			}
		}
	}
	c.status = consensus.Status{CatchingUp: true, Behind: 120}
	c.mustSubmit(c.create(alice, "good"))
	if refusal := c.submit(c.create(alice, "more")); refusal == nil || refusal.Code != message.CodeMempoolFull {
		t.Errorf("a third message in a pool of two: %v, want mempool_full", refusal)
	}
}
