package snapshot

import (
	"errors"
	"strconv"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// TestRestoreDuringSweep restores a snapshot that was taken while the rows of removed projects are deleted, and executes the
// next blocks on both states: they lead to the same roots, until all of those rows are deleted.
//
// Rules: P6.2, P9.6, I1.
func TestRestoreDuringSweep(t *testing.T) {
	t.Parallel()
	c := newChain(t, 2)
	c.commitSample()
	bobby := c.Actor("bobby")
	fork := c.Sign(bobby, message.Fork(c.project(), ledgertest.Hash("one"), "large", pb.Visibility_VISIBILITY_PUBLIC))
	c.commit(fork)
	for bundle := range 3 {
		commits := make([]message.Commit, 700)
		for i := range commits {
			commits[i] = ledgertest.NewCommit(ledgertest.Hash(strconv.Itoa(bundle) + ":" + strconv.Itoa(i)))
		}
		content := message.Content{Digest: ledgertest.Hash(strconv.Itoa(bundle)), URL: "https://example.org"}
		c.commit(c.Sign(bobby, message.CommitBundle(fork.Hash, content, commits...)))
	}
	c.commit(c.Sign(bobby, message.ProjectRemove(fork.Hash)), c.Sign(c.Actor("alice"), message.ProjectRemove(c.project())))

	d := openDir(t, t.TempDir(), DefaultKeep)
	p := load(t, d, take(t, d, c.store))
	restored := newStore(t, 1)
	if err := p.restore(restorerOf(restored), c.roots[p.Height]); err != nil {
		t.Fatal(err)
	}
	checkSame(t, c.store, restored)
	prefix := schema.RemovedProjectPrefix()
	for blocks := 0; ; blocks++ {
		latest := restored.Snapshot()
		waiting := 0
		if err := latest.Scan(prefix, schema.After(prefix), func(_, _ []byte) bool { waiting++; return true }); err != nil {
			t.Fatal(err)
		}
		if waiting == 0 {
			if err := latest.Close(); err != nil || blocks < 2 {
				t.Errorf("%d blocks, %v", blocks, err)
			}
			break
		}
		m := c.Sign(bobby, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, strconv.Itoa(blocks)))
		block := c.Block
		block.Height, block.Time = block.Height+1, block.Time+10
		result, err := c.Ledger.Execute(latest, block, []*message.Envelope{m})
		if err := errors.Join(err, latest.Close()); err != nil {
			t.Fatal(err)
		}
		c.commit(m)
		if root := commitTo(t, restored, block, result); root != c.roots[block.Height] {
			t.Fatalf("block %d leads to root %x, on the restored state to %x", block.Height, c.roots[block.Height], root)
		}
		checkSame(t, c.store, restored)
		c.Next(1) // the timestamps of profile fields must increase
	}
}
