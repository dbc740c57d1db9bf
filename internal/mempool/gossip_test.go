package mempool_test

import (
	"errors"
	"slices"
	"testing"

	"makechain/internal/ledgertest"
	"makechain/message"
)

// gossip passes transactions of peers to the pool and returns which of them it added.
func (c *chain) gossip(transactions ...[]byte) []bool {
	c.t.Helper()
	added, _, err := c.pool.AdmitGossip("peer", transactions)
	if err != nil {
		c.t.Fatal(err)
	}
	return added
}

// TestGossip checks the admission of transactions from peers: valid ones, dependent ones, ones that a client submitted
// too, invalid ones, and committed ones, which are not validated again.
//
// Rules: P10.1, P10.2.
func TestGossip(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	alice, bob := c.Join("alice", 1), c.Join("bob", 1)
	c.Commit()
	create := c.create(alice, "hello")
	bundle := c.Sign(alice, message.CommitBundle(create.Hash, message.Content{}, ledgertest.NewCommit(ledgertest.Hash("1"))))
	submitted := c.create(bob, "mine")
	forged := *c.create(bob, "forged")
	tx := slices.Clone(forged.Transaction())
	tx[len(tx)-40] ^= 1 // the signature
	c.mustSubmit(submitted)

	sent := [][]byte{create.Transaction(), bundle.Transaction(), submitted.Transaction(), tx, []byte("not a message"), nil, create.Transaction()}
	if got, want := c.gossip(sent...), []bool{true, true, false, false, false, false, false}; !slices.Equal(got, want) {
		t.Errorf("added: %v, want %v", got, want)
	}
	if len(c.broadcast) != 1 {
		t.Errorf("%d messages were broadcast, want only the one of the client", len(c.broadcast))
	}
	if applied := len(c.next().Applied) + len(c.next().Applied); applied != 3 || c.pool.Len() != 0 {
		t.Errorf("%d messages applied, want 3; %d are pending", applied, c.pool.Len())
	}
	before := c.stateReads
	if got := c.gossip(create.Transaction(), submitted.Transaction()); slices.Contains(got, true) {
		t.Errorf("added again: %v", got)
	}
	if c.stateReads != before {
		t.Error("a committed message was validated again")
	}
	c.readError = errors.New("disk failure")
	if _, _, err := c.pool.AdmitGossip("peer", [][]byte{c.create(alice, "later").Transaction()}); err == nil {
		t.Error("no error although the state cannot be read")
	}
}

// TestGossipDuringSubmit checks that a transaction of a peer is not reported as added when a client submits the same message
// during its validation, which is broadcast for the client.
//
// Rules: P10.2.
func TestGossipDuringSubmit(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	alice := c.Join("alice", 1)
	c.Commit()
	create := c.create(alice, "hello")
	c.onIndex = func() {
		c.onIndex = nil
		c.mustSubmit(create)
	}
	if added := c.gossip(create.Transaction()); added[0] || c.pool.Len() != 1 || len(c.broadcast) != 1 {
		t.Errorf("added: %v; %d messages are pending, %d were broadcast", added, c.pool.Len(), len(c.broadcast))
	}
}

// TestGossipInvalid checks which transactions are reported as invalid: those that no state makes valid, and not those that
// are refused because of the state.
//
// Rules: P10.1.
func TestGossipInvalid(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	alice := c.Join("alice", 1)
	c.Commit()
	valid := c.create(alice, "hello").Transaction()
	forged := slices.Clone(valid)
	forged[len(forged)-40] ^= 1 // the signature
	unknown := c.Sign(alice, message.CommitBundle(ledgertest.Hash("none"), message.Content{}, ledgertest.NewCommit(ledgertest.Hash("1"))))
	for name, test := range map[string]struct {
		tx   []byte
		want message.Code
	}{
		"valid":                {valid, ""},
		"pending":              {valid, ""},
		"of an unknown state":  {unknown.Transaction(), ""},
		"with a bad signature": {forged, message.CodeBadSignature},
		"not a message":        {[]byte("not a message"), message.CodeMalformed},
		"empty":                {nil, message.CodeMalformed},
		"violating a limit":    {c.create(alice, "Not A Name").Transaction(), message.CodeInvalidField},
	} {
		_, invalid, err := c.pool.AdmitGossip("peer", [][]byte{valid, test.tx})
		var refusal *message.Refusal
		if err != nil || errors.As(invalid, &refusal) != (test.want != "") || refusal != nil && refusal.Code != test.want {
			t.Errorf("%s: invalid is %v, want %q; error %v", name, invalid, test.want, err)
		}
	}
}
