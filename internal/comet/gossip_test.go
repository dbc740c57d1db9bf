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
	refused := string(accountMessage(t, 0).Transaction())
	admissions := map[string]int{}
	config := testConfig(home)
	config.AdmitGossip = func(_ string, transactions [][]byte) ([]bool, error, error) {
		mu.Lock()
		defer mu.Unlock()
		pending := make([]bool, len(transactions))
		for i, tx := range transactions {
			admissions[string(tx)]++
			pending[i] = string(tx) != refused
		}
		if failure != nil {
			return pending, nil, failure()
		}
		return pending, nil, nil
	}
	validator := start(t, config, newMemoryApp())
	config = testConfig(homeLike(t, home))
	config.PersistentPeers = []string{validator.Address()}
	follower := start(t, config, newMemoryApp())
	await(t, "the peers to meet", func() bool { return validator.Status().Peers == 1 && follower.Status().Peers == 1 })
	await(t, "the follower to catch up", func() bool { return !follower.Status().CatchingUp })

	count := func(tx string) int {
		mu.Lock()
		defer mu.Unlock()
		return admissions[tx]
	}
	tx := []byte(refused)
	if err := follower.Submit(tx); err != nil {
		t.Fatal(err)
	}
	for number, next := range []func() error{func() error { panic("defect") }, nil} {
		await(t, "the admission", func() bool { return count(refused) > number })
		mu.Lock()
		failure = next
		mu.Unlock()
		follower.Rebroadcast([][]byte{tx})
	}
	await(t, "the admission after the failures", func() bool { return count(refused) > 2 })
	last := submit(t, follower, accountMessage(t, 1), accountMessage(t, 2))
	for number := range last + 1 {
		if isIn(t, validator, number, tx) {
			t.Errorf("block %d contains a refused transaction", number)
		}
	}
	mu.Lock()
	refused = ""
	mu.Unlock()
	follower.Rebroadcast([][]byte{tx})
	await(t, "the transaction that is no longer refused", func() bool { return isIn(t, validator, validator.Height(), tx) })
}
