package mempool_test

import (
	"fmt"
	"testing"

	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// BenchmarkCandidates selects a full block from the messages of 200 senders, most of which update a ref without a search.
func BenchmarkCandidates(b *testing.B) {
	const senders = 200
	c := newChain(b, ledger.MaxBlockMessages)
	for i := range senders {
		sender := c.Join(fmt.Sprintf("sender-%d", i), 1)
		project := c.create(sender, "project")
		c.Must(project)
		root := ledgertest.Hash("root")
		c.Must(c.Sign(sender, message.CommitBundle(project.Hash, message.Content{}, ledgertest.NewCommit(root))))
		c.Commit()
		for n := range uint64(ledger.MaxBlockMessages / senders) {
			c.mustSubmit(c.Sign(sender, message.RefUpdate(project.Hash, "main", message.RefMove{New: root, Nonce: n + 1, Force: n > 0})))
		}
	}
	b.ResetTimer()
	for range b.N {
		c.pool.Candidates()
	}
}
