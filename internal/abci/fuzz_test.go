package abci_test

import (
	"bytes"
	"slices"
	"testing"

	cmt "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/ident"
)

// FuzzBlock gossips and proposes two arbitrary transactions, and checks that a rejected block does not execute, that an accepted
// one leads two nodes to the same root, and that the node continues.
//
// Rules: P6.2, I1.
func FuzzBlock(f *testing.F) {
	a := newAlice(f)
	joined, one, two := a.join(), a.follow().Transaction(), a.follow().Transaction()
	mutant := slices.Clone(one)
	mutant[len(mutant)/2] ^= 1
	for _, seed := range [][2][]byte{
		{nil, nil},
		{one, two},
		{two, one},
		{one, one},
		{one, nil},
		{one[:len(one)/2], two},
		{mutant, two},
		{joined[0].Transaction(), one},
		{append(slices.Clone(one), two...), make([]byte, 1<<16)},
	} {
		f.Add(seed[0], seed[1])
	}
	base := newMemoryNode(f)
	base.propose(joined...)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		n, twin := base.branch(t), base.branch(t)
		txs := [][]byte{first, second}
		if _, _, err := n.AdmitGossip("peer", txs); err != nil {
			t.Fatal(err)
		}
		n.clock++
		b := block{RequestFinalizeBlock: &cmt.RequestFinalizeBlock{Height: 2, Time: n.now(), Txs: txs, Hash: make([]byte, ident.HashSize)}}
		status := call(t, n.ProcessProposal, &cmt.RequestProcessProposal{Height: b.Height, Time: b.Time, Txs: txs}).Status
		if status == cmt.ResponseProcessProposal_REJECT {
			if _, err := n.FinalizeBlock(t.Context(), b.RequestFinalizeBlock); err == nil {
				t.Fatal("a rejected block executes")
			}
		} else {
			if ours, theirs := n.commit(b), twin.commit(b); !bytes.Equal(ours, theirs) {
				t.Fatalf("the block leads to %x and %x", ours, theirs)
			}
		}
		n.clock++
		height := call(t, n.Info, &cmt.RequestInfo{}).LastBlockHeight + 1
		prepared := call(t, n.PrepareProposal, &cmt.RequestPrepareProposal{Height: height, Time: n.now()})
		next := block{RequestFinalizeBlock: &cmt.RequestFinalizeBlock{Height: height, Time: n.now(), Txs: prepared.Txs, Hash: make([]byte, ident.HashSize)}}
		if ours, theirs := n.commit(next), twin.commit(next); !bytes.Equal(ours, theirs) {
			t.Fatalf("the next block leads to %x and %x", ours, theirs)
		}
	})
}

// FuzzSnapshot offers an arbitrary snapshot and chunk to a node without a state, and checks that it accepts no state other than
// that of the chain, and restores the valid snapshot afterwards.
//
// Rules: T1.1, I1.
func FuzzSnapshot(f *testing.F) {
	first := newNode(f, 1)
	root := first.propose(newAlice(f).join()...).root
	good := first.offered(1)
	chunk := first.chunk(good, 0)
	for _, metadata := range [][]byte{good.Metadata, good.Metadata[:len(good.Metadata)/2], nil, make([]byte, 1<<10)} {
		for _, sent := range [][]byte{chunk, chunk[:len(chunk)/2], append(slices.Clone(chunk), 0), nil} {
			f.Add(good.Height, good.Format, good.Chunks, good.Hash, metadata, uint32(0), sent)
		}
	}
	f.Add(good.Height+1, good.Format, good.Chunks, good.Hash, good.Metadata, uint32(0), chunk)
	f.Add(good.Height, good.Format, ^uint32(0), good.Hash, good.Metadata, ^uint32(0), chunk)
	f.Add(good.Height, good.Format, good.Chunks, good.Hash[1:], good.Metadata, uint32(1), chunk)
	f.Fuzz(func(t *testing.T, height uint64, format, chunks uint32, hash, metadata []byte, index uint32, sent []byte) {
		n := newNode(t, 0)
		offer := &cmt.Snapshot{Height: height, Format: format, Chunks: chunks, Hash: hash, Metadata: metadata}
		if n.offer(offer, root) == cmt.ResponseOfferSnapshot_ACCEPT {
			call(t, n.ApplySnapshotChunk, &cmt.RequestApplySnapshotChunk{Index: index, Chunk: sent, Sender: "mallory"})
		}
		if call(t, n.Info, &cmt.RequestInfo{}).LastBlockHeight == 0 {
			if got := n.offer(good, root); got != cmt.ResponseOfferSnapshot_ACCEPT {
				t.Fatalf("the result for the valid snapshot is %s", got)
			}
			call(t, n.ApplySnapshotChunk, &cmt.RequestApplySnapshotChunk{Chunk: chunk, Sender: "alice"})
		}
		if info := call(t, n.Info, &cmt.RequestInfo{}); info.LastBlockHeight != 1 || !bytes.Equal(info.LastBlockAppHash, root) {
			t.Fatalf("the node has %v", info)
		}
	})
}
