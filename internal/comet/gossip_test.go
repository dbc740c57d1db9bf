package comet_test

import (
	"errors"
	"sync"
	"testing"
)

// TestInbox has an application judge what a peer sends, many at a time. What it does not want does not reach the engine;
// it comes again when the peer repeats it; and an application that fails or panics once is asked again.
//
// Rules: I1.
func TestInbox(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	var mu sync.Mutex
	trouble := func() error { return errors.New("the disk is gone") }
	unwanted := string(accountMessage(t, 0).Transaction())
	judged := map[string]int{}
	config := testConfig(home)
	config.AdmitGossip = func(transactions [][]byte) ([]bool, error) {
		mu.Lock()
		defer mu.Unlock()
		waits := make([]bool, len(transactions))
		for i, tx := range transactions {
			judged[string(tx)]++
			waits[i] = string(tx) != unwanted
		}
		if trouble != nil {
			return waits, trouble()
		}
		return waits, nil
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
		return judged[tx]
	}
	tx := []byte(unwanted)
	if err := follower.Submit(tx); err != nil {
		t.Fatal(err)
	}
	for number, next := range []func() error{func() error { panic("a defect") }, nil} {
		await(t, "it to be judged", func() bool { return count(unwanted) > number })
		mu.Lock()
		trouble = next
		mu.Unlock()
		follower.Rebroadcast([][]byte{tx})
	}
	await(t, "it to be judged after all", func() bool { return count(unwanted) > 2 })
	last := submit(t, follower, accountMessage(t, 1), accountMessage(t, 2))
	for number := range last + 1 {
		if isIn(t, validator, number, tx) {
			t.Errorf("block %d has what the application does not want", number)
		}
	}
	mu.Lock()
	unwanted = ""
	mu.Unlock()
	follower.Rebroadcast([][]byte{tx})
	await(t, "a transaction that is wanted now", func() bool { return isIn(t, validator, validator.Height(), tx) })
}
