package abci_test

import (
	"bytes"
	"fmt"
	"testing"

	cmt "github.com/cometbft/cometbft/abci/types"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/message"
)

// next proposes, validates and commits a block of what the mempool selects.
func (n *node) next() {
	n.Helper()
	n.clock++
	height := call(n, n.Info, &cmt.RequestInfo{}).LastBlockHeight + 1
	prepared := call(n, n.PrepareProposal, &cmt.RequestPrepareProposal{Height: height, Time: n.now()})
	processed := call(n, n.ProcessProposal, &cmt.RequestProcessProposal{Height: height, Time: n.now(), Txs: prepared.Txs})
	if processed.Status != cmt.ResponseProcessProposal_ACCEPT {
		n.Fatalf("the node rejects its own block of height %d", height)
	}
	n.commit(block{RequestFinalizeBlock: &cmt.RequestFinalizeBlock{Height: height, Time: n.now(), Txs: prepared.Txs, Hash: make([]byte, ident.HashSize)}})
}

// TestSearchesDoNotCloseBlocks submits 23 ref updates that search almost 10,000 commits each in a project with a low id, then
// a push of another account to a project with a higher id, and checks that the push is committed within two blocks.
//
// Rules: P6.5.
func TestSearchesDoNotCloseBlocks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("searches many commits")
	}
	const searches, visits = 23, 9_990
	n := newNode(t, 0)
	actors := make([]*alice, 2)
	for i := range actors {
		actor, err := ledgertest.NewActor(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, fmt.Sprintf("account-%d", i))
		if err != nil {
			t.Fatal(err)
		}
		actors[i] = &alice{TB: t, Actor: actor}
		joined := actors[i].join()[:2]
		n.propose(append(joined, actors[i].sign(message.UsernameCreate(fmt.Sprintf("account-%d", i))))...)
	}
	slow, honest := actors[0], actors[1]
	low := slow.sign(message.ProjectCreate("low", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	high := low
	for i := 0; bytes.Compare(high.Hash[:], low.Hash[:]) <= 0; i++ {
		high = honest.sign(message.ProjectCreate(fmt.Sprintf("high-%d", i), pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	}
	n.propose(low, high)
	graph := ledgertest.NewSlowGraph(low.Hash, visits)
	for _, bundle := range graph.Bundles {
		n.propose(slow.sign(bundle))
	}
	submit := func(m *message.Envelope) {
		t.Helper()
		if refusal, err := n.pool.Submit(t.Context(), m); refusal != nil || err != nil {
			t.Fatal(refusal, err)
		}
	}
	for _, move := range graph.Moves("main", searches) {
		submit(slow.sign(move))
	}
	pushed := ledgertest.Hash("pushed")
	submit(honest.sign(message.CommitBundle(high.Hash, message.Content{}, ledgertest.NewCommit(pushed))))
	update := honest.sign(message.RefUpdate(high.Hash, "main", message.RefMove{New: pushed, Nonce: 1}))
	submit(update)
	n.next()
	n.next()
	if status := n.status(update); status.State != mempool.Committed {
		t.Errorf("after two blocks the push is %+v", status)
	}
	if n.pool.Len() == 0 {
		t.Error("all searches are in two blocks: the test does not show that they are deferred")
	}
}
