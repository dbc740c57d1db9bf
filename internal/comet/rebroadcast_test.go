package comet_test

import (
	"slices"
	"testing"

	"makechain/internal/comet"
)

// TestRepeat has a peer refuse a transaction, because it is behind, and take it when it is told again. Others that come
// with it, more than fit into one envelope, reach it too.
//
// Rules: I1.
func TestRepeat(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network")
	}
	t.Parallel()
	home := newHome(t)
	validatorApp := newMemoryApp()
	validator := start(t, testConfig(home), validatorApp)
	config := testConfig(homeLike(t, home))
	config.PersistentPeers = []string{validator.Address()}
	follower := start(t, config, newMemoryApp())
	await(t, "the peers to meet", func() bool { return validator.Status().Peers == 1 && follower.Status().Peers == 1 })
	await(t, "the follower to catch up", func() bool { return !follower.Status().CatchingUp })

	tx := accountMessage(t, 0).Transaction()
	validatorApp.dropped.Store(string(tx), true)
	if err := follower.Submit(tx); err != nil {
		t.Fatal(err)
	}
	last := submit(t, follower, accountMessage(t, 1)) // it travels behind the other
	validatorApp.dropped.Delete(string(tx))
	if isIn(t, validator, last, tx) {
		t.Fatal("the validator took a transaction that it refuses")
	}
	var many [][]byte
	for i := range 1_000 {
		many = append(many, accountMessage(t, 2+i).Transaction())
	}
	follower.Rebroadcast(nil)
	follower.Rebroadcast(append([][]byte{tx}, many...))
	for _, told := range [][]byte{tx, many[len(many)-1]} {
		await(t, "a transaction that was told again", func() bool {
			height := validator.Height()
			for number := last; number <= height; number++ {
				if isIn(t, validator, number, told) {
					return true
				}
			}
			return false
		})
	}
}

// isIn says whether a block holds a transaction.
func isIn(t *testing.T, engine *comet.Engine, number uint64, tx []byte) bool {
	t.Helper()
	transactions, err := engine.Transactions(number)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(transactions, func(other []byte) bool { return string(other) == string(tx) })
}
