package abci_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	cmt "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/mempool"
	"makechain/internal/schema"
	"makechain/internal/validators"
)

// validatorKey returns the key of the validator of a number.
func validatorKey(i byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{i + 1}, ed25519.SeedSize))
}

func validatorOf(i byte, power int64) validators.Validator {
	key, _ := ident.PublicKeyFrom(validatorKey(i).Public().(ed25519.PublicKey))
	return validators.Validator{Key: key, Power: power}
}

// fourValidators sets four validators of the same power in a genesis.
func fourValidators(g *genesis.Genesis) {
	g.Consensus = genesis.DefaultConsensus()
	for i := range byte(4) {
		g.Validators = append(g.Validators, genesis.Validator{PublicKey: validatorOf(i, 0).Key, Power: 10})
	}
}

// validatorChange returns a change that the first validators have signed.
func validatorChange(t testing.TB, sequence uint64, signers byte, entry validators.Validator) []byte {
	t.Helper()
	c := &validators.Change{ChainID: "test-1", Sequence: sequence, Content: validators.NewPowers(entry)}
	for i := range signers {
		if err := c.Sign(validatorKey(i)); err != nil {
			t.Fatal(err)
		}
	}
	return c.Encode()
}

// addChange adds a change and returns why it was refused, nil if it is pending.
func (n *node) addChange(tx []byte) *validators.RefusedError {
	n.Helper()
	_, err := n.AddChange(tx)
	var refused *validators.RefusedError
	if err != nil && !errors.As(err, &refused) {
		n.Fatal(err)
	}
	return refused
}

// pendingChange returns the pending change, nil if there is none.
func (n *node) pendingChange() []byte {
	for _, tx := range n.Transactions(1 << 20) {
		if validators.IsChange(tx) {
			return tx
		}
	}
	return nil
}

// TestValidatorChange checks a change from its admission to a block with messages: the positions of the messages, the validator updates,
// the row, and that a node that only executes the block has the same root.
//
// Rules: P6.1, P7, P11.1, I1.
func TestValidatorChange(t *testing.T) {
	t.Parallel()
	n, follower := newNode(t, 0, fourValidators), newNode(t, 0, fourValidators)
	a := newAlice(t)
	follower.commit(n.propose(a.join()...))
	change := validatorChange(t, 1, 3, validatorOf(4, 10))
	if refused := n.addChange(change); refused != nil {
		t.Fatal(refused)
	}
	other := validatorChange(t, 1, 3, validatorOf(5, 10))
	if n.addChange(other) == nil {
		t.Error("two changes are pending")
	}
	if !bytes.Equal(n.pendingChange(), change) || n.Empty() {
		t.Error("the wrong change is pending")
	}
	m := a.follow()
	if refusal, err := n.pool.Submit(t.Context(), m); refusal != nil || err != nil {
		t.Fatal(refusal, err)
	}
	n.clock++
	prepared := call(t, n.PrepareProposal, &cmt.RequestPrepareProposal{Height: 2, Time: n.now()})
	if len(prepared.Txs) != 2 || !bytes.Equal(prepared.Txs[0], m.Transaction()) || !bytes.Equal(prepared.Txs[1], change) {
		t.Fatalf("%x", prepared.Txs)
	}
	processed := call(t, follower.ProcessProposal, &cmt.RequestProcessProposal{Height: 2, Time: n.now(), Txs: prepared.Txs})
	if processed.Status != cmt.ResponseProcessProposal_ACCEPT {
		t.Fatal(processed)
	}
	request := &cmt.RequestFinalizeBlock{Height: 2, Time: n.now(), Txs: prepared.Txs, Hash: make([]byte, ident.HashSize)}
	var roots [][]byte
	for _, each := range []*node{n, follower} {
		done := call(t, each.FinalizeBlock, request)
		call(t, each.Commit, &cmt.RequestCommit{})
		roots = append(roots, done.AppHash)
		want := validatorOf(4, 10).Key
		if len(done.ValidatorUpdates) != 1 || done.ValidatorUpdates[0].Power != 10 || !bytes.Equal(done.ValidatorUpdates[0].PubKey.GetEd25519(), want[:]) {
			t.Errorf("updates %v", done.ValidatorUpdates)
		}
		if len(done.TxResults) != 2 {
			t.Errorf("%d results", len(done.TxResults))
		}
		each.mustValidate(1, 5)
	}
	if !bytes.Equal(roots[0], roots[1]) {
		t.Error("two nodes have different roots")
	}
	if status, err := n.pool.Status(m.Hash); status.State != mempool.Committed || status.Height != 2 || status.Index != 0 || err != nil {
		t.Errorf("the message is %+v, %v", status, err)
	}
	for _, gone := range [][]byte{change, other} {
		if n.pendingChange() != nil || n.addChange(gone) == nil || !n.Empty() {
			t.Error("a change with a used sequence number is pending")
		}
	}
	n.propose() // an empty block, without the change
}

// mustValidate checks the sequence number and the number of validators.
func (n *node) mustValidate(sequence uint64, count int) {
	n.Helper()
	latest := n.store.Snapshot()
	value, err := latest.Get(schema.ValidatorsKey())
	if err != nil {
		n.Fatal(err)
	}
	set, err := validators.DecodeRow(value)
	if err != nil {
		n.Fatal(err)
	}
	if set.Sequence != sequence || len(set.Validators) != count {
		n.Errorf("validators are %+v", set)
	}
	if err := latest.Close(); err != nil {
		n.Error(err)
	}
}

// TestBadValidatorChange checks that a block with an invalid change is rejected, and that an invalid change is not pending.
//
// Rules: P6.1, P11.1.
func TestBadValidatorChange(t *testing.T) {
	t.Parallel()
	n := newNode(t, 0, fourValidators)
	good := validatorChange(t, 1, 3, validatorOf(4, 10))
	damaged := bytes.Clone(good)
	damaged[len(damaged)-1] ^= 1
	for name, txs := range map[string][][]byte{
		"too few signed":    {validatorChange(t, 1, 2, validatorOf(4, 10))},
		"not the next":      {validatorChange(t, 2, 3, validatorOf(4, 10))},
		"too much power":    {validatorChange(t, 1, 4, validatorOf(4, 14))},
		"a wrong signature": {damaged},
		"cut short":         {good[:len(good)-1]},
		"only the marker":   {{0}},
		"two of them":       {good, good},
		"followed by more":  {good, {0x0A, 0x00}},
	} {
		processed := call(t, n.ProcessProposal, &cmt.RequestProcessProposal{Height: 1, Time: n.now(), Txs: txs})
		if processed.Status != cmt.ResponseProcessProposal_REJECT {
			t.Errorf("%s: %v", name, processed.Status)
		}
		if len(txs) > 1 {
			continue
		}
		if refused := n.addChange(txs[0]); refused == nil || !strings.Contains(refused.Error(), "change") || n.pendingChange() != nil {
			t.Errorf("%s: %v", name, refused)
		}
	}
	n.propose() // nothing waits
}
