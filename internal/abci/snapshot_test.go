package abci_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	cmt "github.com/cometbft/cometbft/abci/types"
	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/abci"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/snapshot"
	"makechain/message"
)

// alice signs the messages of one account.
type alice struct {
	testing.TB
	*ledgertest.Actor
	sent int
}

func newAlice(t testing.TB) *alice {
	t.Helper()
	a, err := ledgertest.NewActor(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, "alice")
	if err != nil {
		t.Fatal(err)
	}
	return &alice{TB: t, Actor: a}
}

// join returns the messages that register her account.
func (a *alice) join() []*message.Envelope {
	a.Helper()
	must := func(m *message.Envelope, err error) *message.Envelope {
		if err != nil {
			a.Fatal(err)
		}
		return m
	}
	grant := message.SignerGrant{Key: a.Key(), Scope: pb.KeyScope_KEY_SCOPE_OWNER}
	permit := message.Permit{ValidAfter: ledgertest.Start - 60, ValidBefore: ledgertest.Start + 600}
	settlement := message.Settlement{Units: 3, TxHash: ledgertest.Hash("paid by " + a.Address.String()), Actor: a.Address, Timestamp: ledgertest.Start}
	return []*message.Envelope{
		must(a.SignerAdd(ledgertest.Start, grant, permit, a.Root, a.Root)),
		must(a.StorageClaim(ledgertest.Start, ledgertest.Domain(), settlement, ledgertest.Attester(0), ledgertest.Attester(1))),
		must(a.Sign(ledgertest.Start, message.UsernameCreate("alice"))),
	}
}

// follow returns a message that follows another new account.
func (a *alice) follow() *message.Envelope {
	a.Helper()
	a.sent++
	followed := ledgertest.Hash(fmt.Sprint("followed", a.sent))
	m, err := a.Sign(ledgertest.Start, message.Follow([20]byte(followed[:20])))
	if err != nil {
		a.Fatal(err)
	}
	return m
}

// sign returns a message of hers.
func (a *alice) sign(data *pb.MessageData) *message.Envelope {
	a.Helper()
	m, err := a.Sign(ledgertest.Start, data)
	if err != nil {
		a.Fatal(err)
	}
	return m
}

// offered waits until the node offers a snapshot of a height.
func (n *node) offered(height uint64) *cmt.Snapshot {
	n.Helper()
	deadline := time.After(2 * time.Minute)
	for {
		for _, s := range call(n, n.ListSnapshots, &cmt.RequestListSnapshots{}).Snapshots {
			if s.Height == height {
				return s
			}
		}
		select {
		case <-deadline:
			n.Fatalf("no snapshot of height %d", height)
		case <-time.After(time.Millisecond):
		}
	}
}

func (n *node) chunk(s *cmt.Snapshot, index uint32) []byte {
	n.Helper()
	return call(n, n.LoadSnapshotChunk, &cmt.RequestLoadSnapshotChunk{Height: s.Height, Format: s.Format, Chunk: index}).Chunk
}

func (n *node) offer(s *cmt.Snapshot, root []byte) cmt.ResponseOfferSnapshot_Result {
	n.Helper()
	return call(n, n.OfferSnapshot, &cmt.RequestOfferSnapshot{Snapshot: s, AppHash: root}).Result
}

// TestJoinBySnapshot checks that a node that starts with the snapshot of another reaches the same roots with the next blocks,
// and refuses messages of blocks before the snapshot.
//
// Rules: P6.2, T1.1, I1, I2.
func TestJoinBySnapshot(t *testing.T) {
	t.Parallel()
	const every = 3
	a, first, second := newAlice(t), newNode(t, every), newNode(t, every)
	joined := a.join()
	blocks := []block{first.propose(joined...)}
	for range 4 {
		blocks = append(blocks, first.propose(a.follow(), a.follow()))
	}
	s := first.offered(every)
	if listed := call(t, first.ListSnapshots, &cmt.RequestListSnapshots{}).Snapshots; len(listed) != 1 {
		t.Errorf("%d snapshots of %d blocks", len(listed), len(blocks))
	}
	root := blocks[every-1].root
	if got := second.offer(s, root); got != cmt.ResponseOfferSnapshot_ACCEPT {
		t.Fatalf("the offer has the result %s", got)
	}
	for i := range s.Chunks {
		applied := call(t, second.ApplySnapshotChunk, &cmt.RequestApplySnapshotChunk{Index: i, Chunk: first.chunk(s, i), Sender: "first"})
		if applied.Result != cmt.ResponseApplySnapshotChunk_ACCEPT {
			t.Fatalf("chunk %d has the result %s", i, applied.Result)
		}
	}
	info := call(t, second.Info, &cmt.RequestInfo{})
	if info.LastBlockHeight != every || !bytes.Equal(info.LastBlockAppHash, root) || info.AppVersion != ledger.RulesVersion {
		t.Errorf("the second node has %v", info)
	}

	again := &cmt.RequestProcessProposal{Height: every + 1, Time: blocks[every].Time, Txs: [][]byte{joined[0].Transaction()}}
	if got := call(t, second.ProcessProposal, again).Status; got != cmt.ResponseProcessProposal_REJECT {
		t.Errorf("a block with an old message has the result %s", got)
	}
	for _, b := range blocks[every:] {
		if got := second.commit(b); !bytes.Equal(got, b.root) {
			t.Errorf("height %d: root %x, want %x", b.Height, got, b.root)
		}
	}
	blocks = append(blocks, first.propose(a.follow()))
	if got := second.commit(blocks[5]); !bytes.Equal(got, blocks[5].root) {
		t.Errorf("height 6: root %x, want %x", got, blocks[5].root)
	}
	if mine, theirs := first.offered(2*every), second.offered(2*every); !bytes.Equal(mine.Hash, theirs.Hash) ||
		!bytes.Equal(first.chunk(mine, 0), second.chunk(theirs, 0)) {
		t.Error("the two nodes offer different snapshots of one height")
	}
}

// TestOfferSnapshot checks the results for invalid offers.
//
// Rules: T1.1.
func TestOfferSnapshot(t *testing.T) {
	t.Parallel()
	a, first, second := newAlice(t), newNode(t, 1), newNode(t, 0)
	root := first.propose(a.join()...).root
	s := first.offered(1)
	other := slices.Clone(root)
	other[0] ^= 1
	forged := *s
	forged.Metadata = slices.Clone(s.Metadata)
	forged.Metadata[len(forged.Metadata)-1] ^= 1
	unknown := *s
	unknown.Format = snapshot.Format + 1
	for _, test := range []struct {
		name  string
		offer *cmt.Snapshot
		root  []byte
		want  cmt.ResponseOfferSnapshot_Result
	}{
		{"none", nil, root, cmt.ResponseOfferSnapshot_REJECT},
		{"unknown format", &unknown, root, cmt.ResponseOfferSnapshot_REJECT_FORMAT},
		{"forged manifest", &forged, root, cmt.ResponseOfferSnapshot_REJECT_SENDER},
		{"different root", s, other, cmt.ResponseOfferSnapshot_REJECT},
		{"valid", s, root, cmt.ResponseOfferSnapshot_ACCEPT},
	} {
		if got := second.offer(test.offer, test.root); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	if _, err := second.OfferSnapshot(t.Context(), &cmt.RequestOfferSnapshot{Snapshot: s, AppHash: root[1:]}); err == nil {
		t.Error("a truncated root is accepted")
	}
	if _, err := first.OfferSnapshot(t.Context(), &cmt.RequestOfferSnapshot{Snapshot: s, AppHash: root}); err == nil {
		t.Error("a node with a state restores another")
	}
}

// TestApplySnapshotChunk checks the results for invalid chunks: a bad chunk is fetched from another peer, and a snapshot that is
// not the state of the chain is rejected.
//
// Rules: T1.1.
func TestApplySnapshotChunk(t *testing.T) {
	t.Parallel()
	a, first, second := newAlice(t), newNode(t, 1), newNode(t, 0)
	root := first.propose(a.join()...).root
	s := first.offered(1)
	good := first.chunk(s, 0)
	apply := func(chunk []byte) *cmt.ResponseApplySnapshotChunk {
		t.Helper()
		return call(t, second.ApplySnapshotChunk, &cmt.RequestApplySnapshotChunk{Chunk: chunk, Sender: "mallory"})
	}
	if _, err := second.ApplySnapshotChunk(t.Context(), &cmt.RequestApplySnapshotChunk{Chunk: good}); err == nil {
		t.Error("a chunk without an offer is accepted")
	}
	second.offer(s, root)
	bad := apply(append(slices.Clone(good), 0))
	if bad.Result != cmt.ResponseApplySnapshotChunk_RETRY || !slices.Equal(bad.RefetchChunks, []uint32{0}) ||
		!slices.Equal(bad.RejectSenders, []string{"mallory"}) {
		t.Errorf("a bad chunk has the result %v", bad)
	}

	garbage := []byte("not rows")
	manifest, err := snapshot.ParseManifest(s.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	manifest.Chunks[0] = blake3.Sum256(garbage)
	hash := manifest.Hash()
	invalid := &cmt.Snapshot{Height: s.Height, Format: s.Format, Chunks: s.Chunks, Hash: hash[:], Metadata: manifest.Encode()}
	if got := second.offer(invalid, root); got != cmt.ResponseOfferSnapshot_ACCEPT {
		t.Fatalf("the offer has the result %s", got)
	}
	if got := apply(garbage).Result; got != cmt.ResponseApplySnapshotChunk_REJECT_SNAPSHOT {
		t.Errorf("garbage has the result %s", got)
	}
	if info := call(t, second.Info, &cmt.RequestInfo{}); info.LastBlockHeight != 0 {
		t.Errorf("the second node has height %d", info.LastBlockHeight)
	}
	second.offer(s, root)
	if got := apply(good).Result; got != cmt.ResponseApplySnapshotChunk_ACCEPT {
		t.Errorf("the valid chunk has the result %s", got)
	}
}

// TestNoSnapshots checks a node without snapshots, and reads of missing chunks.
func TestNoSnapshots(t *testing.T) {
	t.Parallel()
	n := newNode(t, 0)
	n.propose(newAlice(t).join()...)
	if chunk := n.chunk(&cmt.Snapshot{Height: 1, Format: snapshot.Format}, 0); chunk != nil {
		t.Errorf("a missing chunk: %x", chunk)
	}
	without := abci.New(abci.Config{Genesis: n.Genesis, Pool: n.pool})
	if listed := call(t, without.ListSnapshots, &cmt.RequestListSnapshots{}).Snapshots; len(listed) != 0 {
		t.Errorf("listed %v", listed)
	}
	if chunk := call(t, without.LoadSnapshotChunk, &cmt.RequestLoadSnapshotChunk{}).Chunk; chunk != nil {
		t.Errorf("a missing chunk: %x", chunk)
	}
	if got := call(t, without.OfferSnapshot, &cmt.RequestOfferSnapshot{}).Result; got != cmt.ResponseOfferSnapshot_ABORT {
		t.Errorf("an offer has the result %s", got)
	}
	if got := call(t, without.ApplySnapshotChunk, &cmt.RequestApplySnapshotChunk{}).Result; got != cmt.ResponseApplySnapshotChunk_ABORT {
		t.Errorf("a chunk has the result %s", got)
	}
}
