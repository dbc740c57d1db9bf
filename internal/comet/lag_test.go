package comet_test

import (
	"sync"
	"testing"
)

// TestLag blocks the execution of a follower and checks that its status reports the lag until it has caught up.
func TestLag(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	home := newHome(t)
	validator := start(t, testConfig(home), newMemoryApp())
	submit(t, validator, accountMessage(t, 0))

	proceed := make(chan struct{})
	app := newMemoryApp()
	config := testConfig(homeLike(t, home))
	config.PersistentPeers = []string{validator.Address()}
	follower := start(t, config, app)
	await(t, "the follower to catch up", func() bool {
		return !follower.Status().CatchingUp && follower.Height() == validator.Height()
	})
	release := sync.OnceFunc(func() { close(proceed) })
	t.Cleanup(release) // the engine could not stop without it
	held := int64(follower.Height()) + 2
	app.setHook(func(call string, height int64) error {
		if call == "finalize" && height == held {
			<-proceed
		}
		return nil
	})
	for i := range 30 {
		submit(t, validator, accountMessage(t, i+1))
	}
	await(t, "the follower to report its lag", func() bool {
		status := follower.Status()
		return status.CatchingUp && status.Behind > 10 && status.Behind <= validator.Height()-follower.Height()
	})
	if status := validator.Status(); status.CatchingUp || status.Behind != 0 {
		t.Errorf("the status of the validator is %+v", status)
	}
	release()
	await(t, "the follower to catch up again", func() bool {
		status := follower.Status()
		return !status.CatchingUp && status.Behind == 0 && follower.Height() == validator.Height()
	})
}
