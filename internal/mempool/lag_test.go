package mempool_test

import (
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/message"
)

// TestLag hands messages to a node that is catching up. What is wrong in itself is refused as ever, what is pending is
// known to be, and what would apply is taken in. Nothing else is judged: the node says how far behind it is.
//
// Rules: P10.1, P10.5.
func TestLag(t *testing.T) {
	t.Parallel()
	c := newChain(t, 2)
	alice := c.Join("alice", 1)
	c.Commit()
	forged := *c.create(alice, "forged")
	forged.Signature[0] ^= 1
	pending := c.create(alice, "pending")
	c.mustSubmit(pending)
	for _, test := range []struct {
		name string
		m    *message.Envelope
		code message.Code // when the node is not behind
		sure bool
	}{
		{"signature", &forged, message.CodeBadSignature, true},
		{"field", c.create(alice, "-"), message.CodeInvalidField, true},
		{"pending", pending, message.CodeDuplicate, true},
		{"signer", c.Sign(alice.With("unknown"), message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "")), message.CodeUnknownSigner, false},
		{"project", c.Sign(alice, message.ProjectRemove(ledgertest.Hash("none"))), message.CodeUnknownProject, false},
	} {
		for lag, words := range map[mempool.Lag]string{
			{}:                              "",
			{Blocks: 3}:                     "",
			{CatchingUp: true}:              "behind by a number of blocks that it does not know yet",
			{CatchingUp: true, Blocks: 120}: "120 blocks behind",
		} {
			c.lag = lag
			want := test.code
			if lag.CatchingUp && !test.sure {
				want = message.CodeUnavailable
			}
			dry, err := c.pool.DryRun(t.Context(), test.m)
			if err != nil {
				t.Fatal(err)
			}
			for _, refusal := range []*message.Refusal{c.submit(test.m), dry} {
				if refusal == nil || refusal.Code != want || want == message.CodeUnavailable && !strings.HasSuffix(refusal.Reason, words) {
					t.Errorf("%s with %+v: %v, want %s", test.name, lag, refusal, want)
				}
			}
		}
	}
	c.lag = mempool.Lag{CatchingUp: true, Blocks: 120}
	c.mustSubmit(c.create(alice, "good"))
	if refusal := c.submit(c.create(alice, "more")); refusal == nil || refusal.Code != message.CodeMempoolFull {
		t.Errorf("a third message in a pool of two: %v, want mempool_full", refusal)
	}
}
