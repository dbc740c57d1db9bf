package comet_test

import (
	"bytes"
	"slices"
	"testing"

	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
)

// TestPeers connects a second node to a chain on loopback, and checks that it fetches the blocks and follows, and that a
// message submitted to it reaches the validator.
//
// Rules: I1.
func TestPeers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	home := newHome(t)
	validatorApp := newMemoryApp()
	validator := start(t, testConfig(home), validatorApp)
	for i := range 5 {
		submit(t, validator, accountMessage(t, i))
	}

	followerApp := newMemoryApp()
	config := testConfig(homeLike(t, home))
	config.PersistentPeers = []string{validator.Address()}
	follower := start(t, config, followerApp)
	await(t, "the peers to meet", func() bool { return validator.Status().Peers == 1 && follower.Status().Peers == 1 })
	await(t, "the follower to catch up", func() bool {
		return !follower.Status().CatchingUp && follower.Height() == validator.Height()
	})

	last := submit(t, follower, accountMessage(t, 5))
	for number := range last + 1 {
		ours, theirs := awaitBlock(t, follower, number), awaitBlock(t, validator, number)
		if !bytes.Equal(ours.GetBlock().GetHash(), theirs.GetBlock().GetHash()) ||
			!bytes.Equal(ours.GetBlock().GetHeader().GetStateRoot(), theirs.GetBlock().GetHeader().GetStateRoot()) {
			t.Errorf("block %d differs", number)
		}
	}
	if bytes.Equal(follower.Status().ValidatorKey, validator.Status().ValidatorKey) {
		t.Error("two nodes have the same key")
	}
	stop(t, follower)
	await(t, "the peer to disconnect", func() bool { return validator.Status().Peers == 0 })
}

// homeLike initializes another home for the chain of a home.
func homeLike(t *testing.T, home string) string {
	t.Helper()
	g, err := comet.Genesis(home)
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if err := comet.Init(other, *g); err != nil {
		t.Fatal(err)
	}
	return other
}

// TestValidators checks that a chain of four validators on loopback continues when one of them has stopped.
//
// Rules: I1, P11.1.
func TestValidators(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	const count = 4
	homes, g := make([]string, count), testGenesis()
	for i := range homes {
		homes[i] = newHome(t)
		own, err := comet.Genesis(homes[i])
		if err != nil {
			t.Fatal(err)
		}
		g.Time = own.Time
		g.Validators = append(g.Validators, genesis.Validator{PublicKey: own.Validators[0].PublicKey, Power: 1})
	}
	engines := make([]*comet.Engine, count)
	var peers []string
	for i, home := range homes {
		remove(genesisFile)(t, home)
		if err := comet.Init(home, g); err != nil {
			t.Fatal(err)
		}
		config := testConfig(home)
		config.PersistentPeers = peers
		engines[i] = start(t, config, newMemoryApp())
		peers = append(peers, engines[i].Address())
	}
	// During block sync an engine drops transactions of peers, and CometBFT sends each one once. The node would send it again.
	await(t, "the validators to take part", func() bool {
		return !slices.ContainsFunc(engines, func(e *comet.Engine) bool { return e.Status().CatchingUp || e.Status().Peers < count-1 })
	})
	last := submit(t, engines[0], accountMessage(t, 0))
	stop(t, engines[count-1])
	last = max(last, submit(t, engines[1], accountMessage(t, 1)))
	hash := awaitBlock(t, engines[0], last).GetBlock().GetHash()
	for i := range engines[:count-1] {
		block := awaitBlock(t, engines[i], last)
		if !bytes.Equal(block.GetBlock().GetHash(), hash) {
			t.Errorf("node %d has a different block %d", i, last)
		}
		signers := make(map[ident.PublicKey]bool)
		for _, signature := range block.GetBlock().GetCommits().GetSignatures() {
			signers[ident.PublicKey(signature.GetSigner())] = true
		}
		if len(signers) != count-1 {
			t.Errorf("node %d: block %d is signed by %d of %d", i, last, len(signers), count)
		}
	}
}
