package comet_test

import (
	"sync"
	"testing"
)

// TestBehind keeps a follower from executing a block while the chain goes on. It says how far it is behind and that it
// is catching up, until it has caught up.
func TestBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network")
	}
	t.Parallel()
	home := newHome(t)
	validator := start(t, testConfig(home), newMemoryApp())
	submit(t, validator, accountMessage(t, 0))

	goOn := make(chan struct{})
	app := newMemoryApp()
	config := testConfig(homeLike(t, home))
	config.PersistentPeers = []string{validator.Address()}
	follower := start(t, config, app)
	await(t, "the follower to catch up", func() bool {
		return !follower.Status().CatchingUp && follower.Height() == validator.Height()
	})
	release := sync.OnceFunc(func() { close(goOn) })
	t.Cleanup(release) // the engine could not stop without it
	held := int64(follower.Height()) + 2
	app.setHook(func(call string, height int64) error {
		if call == "finalize" && height == held {
			<-goOn
		}
		return nil
	})
	for i := range 30 {
		submit(t, validator, accountMessage(t, i+1))
	}
	await(t, "the follower to say so", func() bool {
		status := follower.Status()
		return status.CatchingUp && status.Behind > 10 && status.Behind <= validator.Height()-follower.Height()
	})
	if status := validator.Status(); status.CatchingUp || status.Behind != 0 {
		t.Errorf("the validator is %+v", status)
	}
	release()
	await(t, "the follower to catch up again", func() bool {
		status := follower.Status()
		return !status.CatchingUp && status.Behind == 0 && follower.Height() == validator.Height()
	})
}
