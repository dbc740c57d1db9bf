package abci_test

import (
	"bytes"
	"testing"

	cmt "github.com/cometbft/cometbft/abci/types"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestReuse commits the same blocks on a node that proposes them, on one that has their messages in its mempool and on one that
// has not, and checks that the first two reuse all executions and all have the same roots.
//
// Rules: P6.2.
func TestReuse(t *testing.T) {
	t.Parallel()
	proposer, other, late := newNode(t, 0), newNode(t, 0), newNode(t, 0)
	actor, err := ledgertest.NewActor(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, "alice")
	if err != nil {
		t.Fatal(err)
	}
	a := &alice{TB: t, Actor: actor}
	create := a.sign(message.ProjectCreate("work", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	first, second := ledgertest.NewCommit(ledgertest.Hash("1")), ledgertest.NewCommit(ledgertest.Hash("2"))
	second.Parents = []ident.Hash{first.Hash}
	for i, messages := range [][]*message.Envelope{
		append(a.join()[:2], a.sign(message.UsernameCreate("alice"))),
		{create},
		{
			a.sign(message.CommitBundle(create.Hash, message.Content{Digest: ledgertest.Hash("bundle")}, first)),
			a.sign(message.RefUpdate(create.Hash, "main", message.RefMove{New: first.Hash, Nonce: 1})),
		},
		{
			a.sign(message.CommitBundle(create.Hash, message.Content{}, second)),
			a.sign(message.RefUpdate(create.Hash, "main", message.RefMove{New: second.Hash, Nonce: 2})),
		},
	} {
		for _, n := range []*node{proposer, other} {
			for _, m := range messages {
				if refusal, err := n.pool.Submit(t.Context(), m); refusal != nil || err != nil {
					t.Fatalf("%s: %v, %v", m.Type(), refusal, err)
				}
			}
		}
		height := int64(i + 1)
		prepared := call(t, proposer.PrepareProposal, &cmt.RequestPrepareProposal{Height: height, Time: proposer.now()})
		b := block{RequestFinalizeBlock: &cmt.RequestFinalizeBlock{
			Height: height, Time: proposer.now(), Txs: prepared.Txs, Hash: make([]byte, ident.HashSize),
		}}
		var roots [][]byte
		for _, n := range []*node{proposer, other, late} {
			roots = append(roots, call(t, n.FinalizeBlock, b.RequestFinalizeBlock).AppHash)
			want := len(messages)
			if n == late {
				want = 0
			}
			if got := n.Reused(); got != want || len(prepared.Txs) != len(messages) {
				t.Errorf("block %d has %d of %d messages, %d executions were reused, want %d", height, len(prepared.Txs), len(messages), got, want)
			}
			call(t, n.Commit, &cmt.RequestCommit{})
		}
		if !bytes.Equal(roots[0], roots[1]) || !bytes.Equal(roots[0], roots[2]) {
			t.Errorf("the roots after block %d are %x", height, roots)
		}
	}
}
