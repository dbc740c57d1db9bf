package abci_test

import (
	"testing"

	cmt "github.com/cometbft/cometbft/abci/types"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/message"
)

// TestUndecidedProposal has a node propose one of two messages that rule each other out, and the network decide on the
// other. The one is not committed, the other is not refused, whatever the node thought when it proposed.
//
// Rules: P10.4.
func TestUndecidedProposal(t *testing.T) {
	t.Parallel()
	n := newNode(t, 0)
	var rivals []*message.Envelope
	for _, name := range []string{"one", "two"} {
		actor, err := ledgertest.NewActor(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, name)
		if err != nil {
			t.Fatal(err)
		}
		joined := (&alice{TB: t, Actor: actor}).join()
		n.propose(joined[:2]...)
		wanted, err := actor.Sign(ledgertest.Start, message.UsernameCreate("wanted"))
		if err != nil {
			t.Fatal(err)
		}
		rivals = append(rivals, wanted)
	}
	for _, m := range rivals {
		if refusal, err := n.pool.Submit(t.Context(), m); refusal != nil || err != nil {
			t.Fatal(refusal, err)
		}
	}
	n.clock++
	prepared := call(t, n.PrepareProposal, &cmt.RequestPrepareProposal{Height: 3, Time: n.now()})
	if len(prepared.Txs) != 1 {
		t.Fatalf("%d messages are in the block", len(prepared.Txs))
	}
	proposed, other := rivals[0], rivals[1]
	if string(prepared.Txs[0]) == string(other.Transaction()) {
		proposed, other = other, proposed
	}
	if status := n.fate(other); status.State != mempool.Pending {
		t.Errorf("while nothing is decided, what was not proposed is %+v", status)
	}
	n.clock++
	n.commit(block{RequestFinalizeBlock: &cmt.RequestFinalizeBlock{
		Height: 3, Time: n.now(), Txs: [][]byte{other.Transaction()}, Hash: make([]byte, ident.HashSize),
	}})
	if status := n.fate(other); status.State != mempool.Committed {
		t.Errorf("what was decided on is %+v", status)
	}
	n.propose()
	if status := n.fate(proposed); status.State != mempool.Refused || status.Refusal.Code != message.CodeUsernameTaken {
		t.Errorf("what was proposed in vain is %+v", status)
	}
}

// fate is what became of a message.
func (n *node) fate(m *message.Envelope) mempool.Status {
	n.Helper()
	status, err := n.pool.Status(m.Hash)
	if err != nil {
		n.Fatal(err)
	}
	return status
}
