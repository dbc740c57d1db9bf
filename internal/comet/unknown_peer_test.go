package comet_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
)

// TestClaimOfUnknownPeer checks that heights claimed by peers that the operator did not choose have no effect on the status
// of a node that has caught up, even if all its peers are such peers.
func TestClaimOfUnknownPeer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	engine := start(t, testConfig(newHome(t)), newMemoryApp())
	for range 3 {
		fake := newFakePeer(t)
		fake.connect(engine)
		fake.claim(claimed)
	}
	if peers := engine.Status().Peers; peers != 3 {
		t.Fatalf("%d peers are connected", peers)
	}
	for i := range 10 {
		submit(t, engine, accountMessage(t, i))
		if status := engine.Status(); status.CatchingUp || status.Behind != 0 {
			t.Fatalf("after a claimed height, the status is %+v", status)
		}
	}
}

// TestClaimDuringBlockSync checks that a node that starts behind reports that it is catching up, and leaves block sync when
// it has the blocks of its persistent peer, although another peer claims more.
func TestClaimDuringBlockSync(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	home := newHome(t)
	validator := start(t, testConfig(home), newMemoryApp())
	for i := range 5 {
		submit(t, validator, accountMessage(t, i))
	}
	proceed, app := make(chan struct{}), newMemoryApp()
	release := sync.OnceFunc(func() { close(proceed) })
	app.setHook(func(call string, height int64) error {
		if call == "finalize" && height == 2 {
			<-proceed
		}
		return nil
	})
	config := testConfig(homeLike(t, home))
	config.PersistentPeers = []string{validator.Address()}
	follower := start(t, config, app)
	t.Cleanup(release) // the engine could not stop without it
	fake := newFakePeer(t)
	fake.connect(follower)
	fake.claim(claimed)
	if !follower.Status().CatchingUp {
		t.Error("a node that starts behind does not report that it is catching up")
	}
	release()
	await(t, "the follower to catch up", func() bool {
		return !follower.Status().CatchingUp && follower.Height() == validator.Height()
	})
}

// TestClaimAtStart checks that a node that starts with the height of its persistent peer leaves block sync although another
// peer, which connected before, claims more.
func TestClaimAtStart(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	persistent, unknown := newFakePeer(t), newFakePeer(t)
	config := testConfig(homeLike(t, newHome(t)))
	config.PersistentPeers = []string{string(persistent.key.ID()) + "@127.0.0.1:1"} // it is reached only when it dials
	follower := start(t, config, newMemoryApp())
	unknown.connect(follower)
	unknown.claim(claimed)
	if !follower.Status().CatchingUp {
		t.Error("a node that has not reached its persistent peer does not report that it is catching up")
	}
	persistent.connect(follower)
	persistent.claim(0)
	await(t, "the follower to leave block sync", func() bool { return !follower.Status().CatchingUp })
	unknown.mu.Lock()
	defer unknown.mu.Unlock()
	if unknown.requests > 0 {
		t.Errorf("it first requested %d blocks from the other peer", unknown.requests)
	}
}

// TestInboundLimit checks that the inbound peers of one host are limited, and that persistent peers are accepted beyond.
func TestInboundLimit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	persistent := newFakePeer(t)
	config := testConfig(newHome(t))
	config.PeersPerHost = 2
	config.PersistentPeers = []string{string(persistent.key.ID()) + "@127.0.0.1:1"} // it is reached only when it dials
	engine := start(t, config, newMemoryApp())
	newFakePeer(t).connect(engine)
	newFakePeer(t).connect(engine)
	newFakePeer(t).awaitRefusal(engine)
	persistent.connect(engine)
	if peers := engine.Status().Peers; peers != 3 {
		t.Errorf("%d peers are connected", peers)
	}
}

// TestFloodOfPeers checks that four peers that fill the queue of received transactions do not prevent the admission of a
// transaction of a fifth.
//
// Rules: I1.
func TestFloodOfPeers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	proceed, admitted := make(chan struct{}), make(chan struct{})
	release, found := sync.OnceFunc(func() { close(proceed) }), sync.OnceFunc(func() { close(admitted) })
	honest := accountMessage(t, 0).Transaction()
	config := testConfig(newHome(t))
	pool := newMemoryPool()
	pool.admit = func(_ string, transactions [][]byte) (invalid, err error) {
		<-proceed
		if slices.ContainsFunc(transactions, func(tx []byte) bool { return string(tx) == string(honest) }) {
			found()
		}
		return nil, nil
	}
	config.Pool = pool
	engine := start(t, config, newMemoryApp())
	t.Cleanup(release) // the engine could not stop without it
	large, small := make([]byte, 100_000), make([]byte, 10)
	for range 4 {
		fake := newFakePeer(t)
		fake.connect(engine)
		for range 100 {
			fake.gossip(large)
		}
		for range 20 {
			fake.gossip(slices.Repeat([][]byte{small}, 100)...) // fills the rest
		}
		fake.claim(claimed) // the engine has read it
	}
	fifth := newFakePeer(t)
	fifth.connect(engine)
	fifth.gossip(honest)
	fifth.claim(claimed)
	release()
	await(t, "the admission of the transaction", func() bool {
		select {
		case <-admitted:
			return true
		default:
			return false
		}
	})
}

// TestInvalidGossip checks that a peer that sends an invalid transaction is disconnected and refused afterwards, that other
// peers of the machine are not, and that a persistent peer stays connected.
//
// Rules: I1.
func TestInvalidGossip(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	persistent, fake, other := newFakePeer(t), newFakePeer(t), newFakePeer(t)
	var mu sync.Mutex
	admissions := map[string]int{}
	config := testConfig(newHome(t))
	config.PersistentPeers = []string{string(persistent.key.ID()) + "@127.0.0.1:1"}
	pool := newMemoryPool()
	pool.admit = func(peer string, transactions [][]byte) (invalid, err error) {
		mu.Lock()
		defer mu.Unlock()
		admissions[peer] += len(transactions)
		return errors.New("bad signature"), nil
	}
	config.Pool = pool
	engine := start(t, config, newMemoryApp())
	persistent.connect(engine)
	persistent.gossip([]byte("invalid"))
	await(t, "the admission", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return admissions[string(persistent.key.ID())] == 1
	})
	fake.connect(engine)
	fake.gossip([]byte("invalid"))
	await(t, "the engine to disconnect the peer", func() bool { return fake.ended() > 0 })
	fake.awaitRefusal(engine)
	other.connect(engine)
	if peers := engine.Status().Peers; peers != 2 {
		t.Errorf("%d peers are connected, want the persistent one and another", peers)
	}
	mu.Lock()
	defer mu.Unlock()
	if admissions[string(fake.key.ID())] != 1 {
		t.Errorf("admitted transactions by peer: %v", admissions)
	}
}
