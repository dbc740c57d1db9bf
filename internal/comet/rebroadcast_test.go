package comet_test

import (
	"slices"
	"testing"

	"makechain/internal/comet"
)

// TestRebroadcast checks that a peer that refused a transaction accepts it when it is broadcast again, together with others
// that do not fit into one envelope.
//
// Rules: I1.
func TestRebroadcast(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
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
	last := submit(t, follower, accountMessage(t, 1)) // it is sent after the other one
	validatorApp.dropped.Delete(string(tx))
	if isIn(t, validator, last, tx) {
		t.Fatal("a block contains a refused transaction")
	}
	var many [][]byte
	for i := range 1_000 {
		many = append(many, accountMessage(t, 2+i).Transaction())
	}
	follower.Rebroadcast(nil)
	follower.Rebroadcast(append([][]byte{tx}, many...))
	for _, sent := range [][]byte{tx, many[len(many)-1]} {
		await(t, "a transaction that was broadcast again", func() bool {
			height := validator.Height()
			for number := last; number <= height; number++ {
				if isIn(t, validator, number, sent) {
					return true
				}
			}
			return false
		})
	}
}

// isIn reports whether a block contains a transaction.
func isIn(t *testing.T, engine *comet.Engine, number uint64, tx []byte) bool {
	t.Helper()
	transactions, err := engine.Transactions(number)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(transactions, func(other []byte) bool { return string(other) == string(tx) })
}
