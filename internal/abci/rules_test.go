package abci_test

import (
	"bytes"
	"errors"
	"testing"

	cmt "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/internal/validators"
	"makechain/message"
)

// rules3 sets rules version 3 in a genesis.
func rules3(g *genesis.Genesis) {
	g.Rules = 3
	settlement := ledger.HostSettlement(g.Network, ledgertest.Threshold)
	for _, attester := range ledgertest.Settlement().Attesters {
		settlement.Attesters = append(settlement.Attesters, ledger.Attester{Key: attester.Key})
	}
	g.Settlement = settlement
}

// activation returns an activation that three validators have signed.
func activation(t testing.TB, sequence, version, height uint64) []byte {
	t.Helper()
	c := &validators.Change{ChainID: "test-1", Sequence: sequence, Content: validators.Activation{Version: version, Height: height}}
	for i := range byte(3) {
		if err := c.Sign(validatorKey(i)); err != nil {
			t.Fatal(err)
		}
	}
	return c.Encode()
}

// claimOf returns a claim of a payment by the rules of a version.
func (a *alice) claimOf(payment string, version uint64) *message.Envelope {
	a.Helper()
	g := newGenesis()
	rules3(g)
	params := g.Params()
	params.Rules = version
	settlement := message.Settlement{Units: 1, TxHash: ledgertest.Hash(payment), Actor: a.Address, Timestamp: ledgertest.Start}
	m, err := a.StorageClaim(ledgertest.Start, g.Settlement.Domain(&params), settlement, ledgertest.Attester(0), ledgertest.Attester(1))
	if err != nil {
		a.Fatal(err)
	}
	return m
}

// finalize commits a block of the given transactions on all nodes, which must accept it, and returns the app version that it sets for the next
// header, 0 for none.
func finalize(t *testing.T, height int64, txs [][]byte, nodes ...*node) (version uint64) {
	t.Helper()
	var root []byte
	for i, n := range nodes {
		processed := call(t, n.ProcessProposal, &cmt.RequestProcessProposal{Height: height, Time: n.now(), Txs: txs})
		if processed.Status != cmt.ResponseProcessProposal_ACCEPT {
			t.Fatalf("height %d: %v", height, processed)
		}
		done := call(t, n.FinalizeBlock, &cmt.RequestFinalizeBlock{Height: height, Time: n.now(), Txs: txs, Hash: make([]byte, ident.HashSize)})
		call(t, n.Commit, &cmt.RequestCommit{})
		set := done.GetConsensusParamUpdates().GetVersion().GetApp()
		if i > 0 && (!bytes.Equal(done.AppHash, root) || set != version) {
			t.Fatalf("height %d: root %x, want %x; version %d, want %d", height, done.AppHash, root, set, version)
		}
		root, version = done.AppHash, set
	}
	return version
}

// mustHaveVersion checks the app version that Info returns.
func (n *node) mustHaveVersion(want uint64) {
	n.Helper()
	if info := call(n, n.Info, &cmt.RequestInfo{}); info.AppVersion != want {
		n.Errorf("after block %d the version is %d, want %d", info.LastBlockHeight, info.AppVersion, want)
	}
}

// TestActivation checks that rules version 4 applies from the height of its activation on: the app version is set by the block before it,
// claims of version 3 apply before and are refused after it, also where the mempool executed them before, and the others the other way round.
//
// Rules: P8.2, P11.2, P11.3, I1.
func TestActivation(t *testing.T) {
	t.Parallel()
	n, follower := newNode(t, 0, fourValidators, rules3), newNode(t, 0, fourValidators, rules3)
	a := newAlice(t)
	if finalize(t, 1, [][]byte{a.claimOf("first", 3).Transaction()}, n, follower) != 0 {
		t.Error("a block without an activation sets a version")
	}
	finalize(t, 2, [][]byte{activation(t, 1, 4, 12)}, n, follower)
	// The block before the height replaces the activation: version 4 is not in force in the next one.
	for height := int64(3); height <= 10; height++ {
		finalize(t, height, nil, n, follower)
	}
	if finalize(t, 11, [][]byte{activation(t, 2, 4, 21)}, n, follower) != 0 {
		t.Error("a replaced activation sets a version")
	}
	for height := int64(12); height <= 19; height++ {
		if finalize(t, height, nil, n, follower) != 0 {
			t.Errorf("block %d sets a version", height)
		}
	}
	n.mustHaveVersion(3)
	old, other, late := a.claimOf("old", 3), a.claimOf("other", 3), a.claimOf("new", 4)
	for _, m := range []*message.Envelope{old, other} {
		if refusal, err := n.pool.Submit(t.Context(), m); refusal != nil || err != nil {
			t.Fatal(refusal, err)
		}
	}
	processed := call(t, follower.ProcessProposal, &cmt.RequestProcessProposal{Height: 20, Time: n.now(), Txs: [][]byte{late.Transaction()}})
	if processed.Status != cmt.ResponseProcessProposal_REJECT {
		t.Error("a claim of version 4 is accepted before the activation")
	}
	if version := finalize(t, 20, [][]byte{other.Transaction()}, n, follower); version != 4 {
		t.Errorf("the block before the height sets version %d", version)
	}
	n.mustHaveVersion(4)
	follower.mustHaveVersion(4)
	prepared := call(t, n.PrepareProposal, &cmt.RequestPrepareProposal{Height: 21, Time: n.now()})
	if len(prepared.Txs) != 0 {
		t.Errorf("the claim of version 3 is proposed")
	}
	processed = call(t, follower.ProcessProposal, &cmt.RequestProcessProposal{Height: 21, Time: n.now(), Txs: [][]byte{old.Transaction()}})
	if processed.Status != cmt.ResponseProcessProposal_REJECT {
		t.Error("a claim of version 3 is accepted after the activation")
	}
	if finalize(t, 21, nil, n, follower) != 0 {
		t.Error("the block of the height sets a version")
	}
	status, err := n.pool.Status(old.Hash)
	if err != nil || status.State != mempool.Refused || status.Refusal.Code != message.CodeInsufficientAttestations {
		t.Errorf("the claim of version 3 is %+v, %v", status, err)
	}
	finalize(t, 22, [][]byte{late.Transaction()}, n, follower)
	finalize(t, 23, [][]byte{settlementChange(t, 1, 3, ledgertest.Settlement().Attesters[1:]...)}, n, follower)
}

// TestReuseAcrossActivation checks that messages that were executed for the mempool before an activation are executed again after it.
//
// Rules: P6.2, P11.3, I1.
func TestReuseAcrossActivation(t *testing.T) {
	t.Parallel()
	n, follower := newNode(t, 0, fourValidators, rules3), newNode(t, 0, fourValidators, rules3)
	a := newAlice(t)
	claim := a.claimOf("storage", 3)
	joined := a.join()
	finalize(t, 1, [][]byte{joined[0].Transaction(), claim.Transaction()}, n, follower)
	finalize(t, 2, [][]byte{activation(t, 1, 4, 12)}, n, follower)
	for height := int64(3); height <= 10; height++ {
		finalize(t, height, nil, n, follower)
	}
	m := a.sign(message.UsernameCreate("alice"))
	if refusal, err := n.pool.Submit(t.Context(), m); refusal != nil || err != nil {
		t.Fatal(refusal, err)
	}
	finalize(t, 11, nil, n, follower)
	prepared := call(t, n.PrepareProposal, &cmt.RequestPrepareProposal{Height: 12, Time: n.now()})
	if len(prepared.Txs) != 1 || n.Reused() != 0 {
		t.Errorf("%d messages, %d executions are reused", len(prepared.Txs), n.Reused())
	}
	finalize(t, 12, prepared.Txs, n, follower)
}

// TestLateActivation checks that a pending activation whose height is near is dropped on every node, so that other changes can be pending.
//
// Rules: P11.2.
func TestLateActivation(t *testing.T) {
	t.Parallel()
	n := newNode(t, 0, fourValidators, rules3)
	late := activation(t, 1, 4, 12)
	if refused := n.addChange(late); refused != nil {
		t.Fatal(refused)
	}
	finalize(t, 1, nil, n)
	if !bytes.Equal(n.pendingChange(), late) {
		t.Error("it is dropped while it applies")
	}
	finalize(t, 2, nil, n) // another proposer left it out
	if n.pendingChange() != nil {
		t.Error("an activation that no longer applies is pending")
	}
	processed := call(t, n.ProcessProposal, &cmt.RequestProcessProposal{Height: 3, Time: n.now(), Txs: [][]byte{late}})
	if processed.Status != cmt.ResponseProcessProposal_REJECT {
		t.Error("a block with a late activation is accepted")
	}
	if refused := n.addChange(activation(t, 1, 4, 13)); refused != nil {
		t.Error(refused)
	}
}

// TestUnsupportedRules checks that a version that this program does not have is activated, and that the program commits the block before
// its height and nothing after it.
//
// Rules: P11.3.
func TestUnsupportedRules(t *testing.T) {
	t.Parallel()
	n := newNode(t, 0, fourValidators)
	var reported []*ledger.UnsupportedRulesError
	n.Unsupported = func(err *ledger.UnsupportedRulesError) { reported = append(reported, err) }
	finalize(t, 1, [][]byte{activation(t, 1, ledger.RulesVersion+1, 11)}, n)
	for height := int64(2); height <= 10; height++ {
		if len(reported) != 0 {
			t.Fatalf("reported before block %d", height)
		}
		if version := finalize(t, height, nil, n); (version == ledger.RulesVersion+1) != (height == 10) {
			t.Errorf("block %d sets version %d", height, version)
		}
	}
	if len(reported) != 1 || *reported[0] != (ledger.UnsupportedRulesError{Version: ledger.RulesVersion + 1, Height: 11}) {
		t.Fatalf("reported %v", reported)
	}
	_, info := n.Info(t.Context(), &cmt.RequestInfo{})
	_, prepare := n.PrepareProposal(t.Context(), &cmt.RequestPrepareProposal{Height: 11, Time: n.now()})
	_, process := n.ProcessProposal(t.Context(), &cmt.RequestProcessProposal{Height: 11, Time: n.now()})
	_, finalized := n.FinalizeBlock(t.Context(), &cmt.RequestFinalizeBlock{Height: 11, Time: n.now(), Hash: make([]byte, ident.HashSize)})
	for name, err := range map[string]error{"Info": info, "PrepareProposal": prepare, "ProcessProposal": process, "FinalizeBlock": finalized} {
		if unsupported := (*ledger.UnsupportedRulesError)(nil); !errors.As(err, &unsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	latest := n.store.Snapshot()
	if latest.Height() != 10 {
		t.Errorf("the state is at height %d", latest.Height())
	}
	if err := latest.Close(); err != nil {
		t.Error(err)
	}
}
