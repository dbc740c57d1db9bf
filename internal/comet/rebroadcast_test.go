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
	validator, app := startPool(t, testConfig(home))
	config := testConfig(homeLike(t, home))
	config.PersistentPeers = []string{validator.Address()}
	follower, followerApp := startPool(t, config)
	await(t, "the peers to meet", func() bool { return validator.Status().Peers == 1 && follower.Status().Peers == 1 })
	await(t, "the follower to catch up", func() bool { return !follower.Status().CatchingUp })

	tx := accountMessage(t, 0).Transaction()
	app.pool.setRefused(tx, true)
	announce(t, follower, followerApp.pool, accountMessage(t, 0), accountMessage(t, 1))
	awaitTransaction(t, validator, accountMessage(t, 1).Transaction()) // it is sent after the other one
	app.pool.setRefused(tx, false)
	for number := range validator.Height() + 1 {
		if isIn(t, validator, number, tx) {
			t.Fatal("a block contains a refused transaction")
		}
	}
	var many [][]byte
	for i := range 1_000 {
		many = append(many, accountMessage(t, 2+i).Transaction())
	}
	follower.Rebroadcast(nil)
	follower.Rebroadcast(append([][]byte{tx}, many...))
	awaitTransaction(t, validator, tx)
	awaitTransaction(t, validator, many[len(many)-1])
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
