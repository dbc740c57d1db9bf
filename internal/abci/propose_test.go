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

// TestUndecidedProposal proposes one of two conflicting messages and decides a block with the other, and checks that the first
// is refused and the second committed.
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
		t.Fatalf("the block has %d messages", len(prepared.Txs))
	}
	proposed, other := rivals[0], rivals[1]
	if string(prepared.Txs[0]) == string(other.Transaction()) {
		proposed, other = other, proposed
	}
	if status := n.status(other); status.State != mempool.Pending {
		t.Errorf("the message that was not proposed is %+v before a decision", status)
	}
	n.clock++
	n.commit(block{RequestFinalizeBlock: &cmt.RequestFinalizeBlock{
		Height: 3, Time: n.now(), Txs: [][]byte{other.Transaction()}, Hash: make([]byte, ident.HashSize),
	}})
	if status := n.status(other); status.State != mempool.Committed {
		t.Errorf("the decided message is %+v", status)
	}
	n.propose()
	if status := n.status(proposed); status.State != mempool.Refused || status.Refusal.Code != message.CodeUsernameTaken {
		t.Errorf("the undecided message is %+v", status)
	}
}

// status returns the status of a message.
func (n *node) status(m *message.Envelope) mempool.Status {
	n.Helper()
	status, err := n.pool.Status(m.Hash)
	if err != nil {
		n.Fatal(err)
	}
	return status
}
