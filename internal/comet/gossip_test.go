package comet_test

import (
	"errors"
	"sync"
	"testing"
)

// TestAdmitGossip checks that only admitted transactions of peers reach the engine, that a refused one is admitted again when
// the peer rebroadcasts it, and that the engine continues after AdmitGossip fails or panics.
//
// Rules: I1.
func TestAdmitGossip(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	var mu sync.Mutex
	failure := func() error { return errors.New("disk error") }
	refused := accountMessage(t, 0).Transaction()
	admissions := map[string]int{}
	validator, app := startPool(t, testConfig(home))
	app.pool.setRefused(refused, true)
	app.pool.admit = func(_ string, transactions [][]byte) (invalid, err error) {
		mu.Lock()
		defer mu.Unlock()
		for _, tx := range transactions {
			admissions[string(tx)]++
		}
		if failure != nil {
			return nil, failure()
		}
		return nil, nil
	}
	config := testConfig(homeLike(t, home))
	config.PersistentPeers = []string{validator.Address()}
	follower, followerApp := startPool(t, config)
	await(t, "the peers to meet", func() bool { return validator.Status().Peers == 1 && follower.Status().Peers == 1 })
	await(t, "the follower to catch up", func() bool { return !follower.Status().CatchingUp })

	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return admissions[string(refused)]
	}
	announce(t, follower, followerApp.pool, accountMessage(t, 0))
	for number, next := range []func() error{func() error { panic("defect") }, nil} {
		await(t, "the admission", func() bool { return count() > number })
		mu.Lock()
		failure = next
		mu.Unlock()
		follower.Rebroadcast([][]byte{refused})
	}
	await(t, "the admission after the failures", func() bool { return count() > 2 })
	last := accountMessage(t, 1)
	announce(t, follower, followerApp.pool, last)
	awaitTransaction(t, validator, last.Transaction())
	for number := range validator.Height() + 1 {
		if isIn(t, validator, number, refused) {
			t.Errorf("block %d contains a refused transaction", number)
		}
	}
	app.pool.setRefused(refused, false)
	follower.Rebroadcast([][]byte{refused})
	awaitTransaction(t, validator, refused)
}

// TestForward checks that a transaction reaches a validator through a node between them, and that transactions that were pending
// before a node connected to a peer are sent to it.
//
// Rules: I1.
func TestForward(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	home := newHome(t)
	validator, _ := startPool(t, testConfig(home))
	config := testConfig(homeLike(t, home))
	config.PersistentPeers = []string{validator.Address()}
	between, _ := startPool(t, config)
	await(t, "the node to catch up", func() bool { return between.Status().Peers == 1 && !between.Status().CatchingUp })

	before := accountMessage(t, 0)
	app := newMemoryApp()
	app.pool = newMemoryPool()
	app.pool.add(before.Transaction())
	config = testConfig(homeLike(t, home))
	config.PersistentPeers, config.Pool = []string{between.Address()}, app.pool
	last := start(t, config, app)
	awaitTransaction(t, validator, before.Transaction())
	for i := range 3 {
		envelope := accountMessage(t, 1+i)
		announce(t, last, app.pool, envelope)
		awaitTransaction(t, validator, envelope.Transaction())
	}
}
