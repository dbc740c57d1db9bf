package abci_test

import (
	"bytes"
	"testing"

	cmt "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/internal/validators"
	"makechain/message"
)

// settlementChange returns a change to the settlement of the genesis with fewer attesters, which the first validators have signed.
func settlementChange(t testing.TB, sequence uint64, signers byte, attesters ...ledger.Attester) []byte {
	t.Helper()
	settlement := ledgertest.Settlement()
	settlement.Attesters, settlement.Threshold = attesters, len(attesters)
	c := &validators.Change{ChainID: "test-1", Sequence: sequence, Content: validators.Settlement(settlement)}
	for i := range signers {
		if err := c.Sign(validatorKey(i)); err != nil {
			t.Fatal(err)
		}
	}
	return c.Encode()
}

// claim returns a claim of a payment that two attesters have signed.
func (a *alice) claim(payment string, attesters ...int) *message.Envelope {
	a.Helper()
	var seeds []message.Seed
	for _, i := range attesters {
		seeds = append(seeds, ledgertest.Attester(i))
	}
	settlement := message.Settlement{Units: 1, TxHash: ledgertest.Hash(payment), Actor: a.Address, Timestamp: ledgertest.Start}
	m, err := a.StorageClaim(ledgertest.Start, ledgertest.Domain(), settlement, seeds...)
	if err != nil {
		a.Fatal(err)
	}
	return m
}

// decide commits a block of the given transactions on all nodes, which must accept it, and returns the root.
func decide(t *testing.T, height int64, txs [][]byte, nodes ...*node) (root []byte) {
	t.Helper()
	for i, n := range nodes {
		n.clock++
		processed := call(t, n.ProcessProposal, &cmt.RequestProcessProposal{Height: height, Time: n.now(), Txs: txs})
		if processed.Status != cmt.ResponseProcessProposal_ACCEPT {
			t.Fatal(processed)
		}
		b := block{RequestFinalizeBlock: &cmt.RequestFinalizeBlock{Height: height, Time: n.now(), Txs: txs, Hash: make([]byte, ident.HashSize)}}
		if got := n.commit(b); i > 0 && !bytes.Equal(got, root) {
			t.Fatalf("height %d: root %x, want %x", height, got, root)
		} else {
			root = got
		}
	}
	return root
}

// TestSettlementChange checks that a claim that was admitted before a change that removes its attester is refused in the block after
// the change, also where its execution was recorded, and that one of the remaining attesters applies.
//
// Rules: P8.2, P11.2, I1.
func TestSettlementChange(t *testing.T) {
	t.Parallel()
	n, follower := newNode(t, 0, fourValidators), newNode(t, 0, fourValidators)
	a := newAlice(t)
	follower.commit(n.propose(a.join()...))
	early, late := a.claim("early", 0, 1), a.claim("late", 1, 2)
	for _, m := range []*message.Envelope{early, late} {
		if refusal, err := n.pool.Submit(t.Context(), m); refusal != nil || err != nil {
			t.Fatal(refusal, err)
		}
	}
	change := settlementChange(t, 1, 3, ledgertest.Settlement().Attesters[1:]...)
	follower.clock = n.clock
	decide(t, 2, [][]byte{change}, n, follower) // without the claims, which wait
	n.clock++
	prepared := call(t, n.PrepareProposal, &cmt.RequestPrepareProposal{Height: 3, Time: n.now()})
	if len(prepared.Txs) != 1 || !bytes.Equal(prepared.Txs[0], late.Transaction()) {
		t.Fatalf("the block after the change has %d messages", len(prepared.Txs))
	}
	n.clock--
	decide(t, 3, prepared.Txs, n, follower)
	status, err := n.pool.Status(early.Hash)
	if err != nil || status.State != mempool.Refused || status.Refusal.Code != message.CodeInsufficientAttestations {
		t.Errorf("the claim of the removed attester is %+v, %v", status, err)
	}
	processed := call(t, follower.ProcessProposal, &cmt.RequestProcessProposal{Height: 4, Time: n.now(), Txs: [][]byte{early.Transaction()}})
	if processed.Status != cmt.ResponseProcessProposal_REJECT {
		t.Error("a block with a claim of a removed attester was accepted")
	}
}

// TestPendingChangeOfAnotherKind checks that a change waits until a block after a change of another kind, unless the validators that
// signed it are no longer enough.
//
// Rules: P11.2.
func TestPendingChangeOfAnotherKind(t *testing.T) {
	t.Parallel()
	n := newNode(t, 0, fourValidators)
	attesters := ledgertest.Settlement().Attesters
	mustPend := func(tx []byte) {
		t.Helper()
		if refused := n.addChange(tx); refused != nil {
			t.Fatal(refused)
		}
	}
	add := validatorChange(t, 1, 3, validatorOf(4, 10))
	mustPend(add)
	decide(t, 1, [][]byte{settlementChange(t, 1, 3, attesters[:1]...)}, n)
	if !bytes.Equal(n.pendingChange(), add) {
		t.Fatal("a validator change was dropped after a settlement change")
	}
	n.clock++
	prepared := call(t, n.PrepareProposal, &cmt.RequestPrepareProposal{Height: 2, Time: n.now()})
	if len(prepared.Txs) != 1 || !bytes.Equal(prepared.Txs[0], add) {
		t.Fatalf("the block has %x", prepared.Txs)
	}
	n.clock--
	decide(t, 2, prepared.Txs, n)
	n.mustValidate(1, 5)
	// Of 50, at least 34 must sign: three validators of 10 no longer do when the others get more power.
	enough := settlementChange(t, 2, 4, attesters[:2]...)
	mustPend(enough)
	decide(t, 3, [][]byte{validatorChange(t, 2, 4, validatorOf(4, 26))}, n)
	if n.pendingChange() != nil {
		t.Error("a change that no longer applies is pending")
	}
	n.propose() // an empty block
}

// TestSettlementInSnapshot checks that a node that joins with a snapshot has the settlement in force.
func TestSettlementInSnapshot(t *testing.T) {
	t.Parallel()
	const every = 2
	first, second := newNode(t, every, fourValidators), newNode(t, every, fourValidators)
	a := newAlice(t)
	first.propose(a.join()...)
	root := decide(t, every, [][]byte{settlementChange(t, 1, 3, ledgertest.Settlement().Attesters[1:]...)}, first)
	s := first.offered(every)
	if got := second.offer(s, root); got != cmt.ResponseOfferSnapshot_ACCEPT {
		t.Fatalf("the offer has the result %s", got)
	}
	for i := range s.Chunks {
		applied := call(t, second.ApplySnapshotChunk, &cmt.RequestApplySnapshotChunk{Index: i, Chunk: first.chunk(s, i), Sender: "first"})
		if applied.Result != cmt.ResponseApplySnapshotChunk_ACCEPT {
			t.Fatalf("chunk %d has the result %s", i, applied.Result)
		}
	}
	second.clock = first.clock
	removed := [][]byte{a.claim("removed", 0, 1).Transaction()}
	processed := call(t, second.ProcessProposal, &cmt.RequestProcessProposal{Height: every + 1, Time: second.now(), Txs: removed})
	if processed.Status != cmt.ResponseProcessProposal_REJECT {
		t.Error("a claim of a removed attester was accepted after a snapshot")
	}
	decide(t, every+1, [][]byte{a.claim("in force", 1, 2).Transaction()}, first, second)
}
