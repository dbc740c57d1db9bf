package mempool_test

import (
	"errors"
	"slices"
	"testing"

	"makechain/internal/ledgertest"
	"makechain/message"
)

// gossip has peers send transactions, and gives which of them wait for a block then.
func (c *chain) gossip(transactions ...[]byte) []bool {
	c.t.Helper()
	waits, err := c.pool.AdmitGossip(transactions)
	if err != nil {
		c.t.Fatal(err)
	}
	return waits
}

// TestGossip has peers send what is good, what builds on it, what a client has sent as well, what is bad, and what is
// committed, which is not judged again.
//
// Rules: P10.1, P10.2.
func TestGossip(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	alice, bob := c.Join("alice", 1), c.Join("bob", 1)
	c.Commit()
	create := c.create(alice, "hello")
	bundle := c.Sign(alice, message.CommitBundle(create.Hash, message.Content{}, ledgertest.NewCommit(ledgertest.Hash("1"))))
	handed := c.create(bob, "mine")
	forged := *c.create(bob, "forged")
	tx := slices.Clone(forged.Transaction())
	tx[len(tx)-40] ^= 1 // the signature
	c.mustSubmit(handed)

	sent := [][]byte{create.Transaction(), bundle.Transaction(), handed.Transaction(), tx, []byte("no message"), nil, create.Transaction()}
	if got, want := c.gossip(sent...), []bool{true, true, true, false, false, false, true}; !slices.Equal(got, want) {
		t.Errorf("waiting: %v, want %v", got, want)
	}
	if len(c.broadcast) != 1 {
		t.Errorf("%d messages went to consensus, want the one of the client alone", len(c.broadcast))
	}
	if applied := len(c.next().Applied) + len(c.next().Applied); applied != 3 || c.pool.Len() != 0 {
		t.Errorf("%d messages applied, want 3; %d wait", applied, c.pool.Len())
	}
	looks := c.looks
	if got := c.gossip(create.Transaction(), handed.Transaction()); slices.Contains(got, true) {
		t.Errorf("waiting again: %v", got)
	}
	if c.looks != looks {
		t.Error("a message that is committed was judged again")
	}
	c.broken = errors.New("the disk is gone")
	if _, err := c.pool.AdmitGossip([][]byte{c.create(alice, "later").Transaction()}); err == nil {
		t.Error("a state that cannot be read is no failure")
	}
}

// TestGossipBeside has a client hand a message over while a peer's copy of it is judged. The engine, which has it from the
// peer, is told that it waits: nobody would tell it again.
//
// Rules: P10.2.
func TestGossipBeside(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	alice := c.Join("alice", 1)
	c.Commit()
	create := c.create(alice, "hello")
	c.meanwhile = func() {
		c.meanwhile = nil
		c.mustSubmit(create)
	}
	if waits := c.gossip(create.Transaction()); !waits[0] || c.pool.Len() != 1 {
		t.Errorf("waiting: %v, of %d messages", waits, c.pool.Len())
	}
}
