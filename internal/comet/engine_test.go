package comet_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"makechain/internal/comet"
)

// TestFirstBlock checks that the first block, which certifies genesis, needs no message.
//
// Rules: P6.6, P11.3.
func TestFirstBlock(t *testing.T) {
	t.Parallel()
	awaitBlock(t, start(t, testConfig(newHome(t)), newMemoryApp()), 1)
}

// TestIdle checks that no blocks are created after those with messages and one more for the root.
//
// Rules: P6.6, P11.2.
func TestIdle(t *testing.T) {
	t.Parallel()
	app := newMemoryApp()
	engine := start(t, testConfig(newHome(t)), app)
	awaitBlock(t, engine, 1)
	last := submit(t, engine, accountMessage(t, 0))
	awaitBlock(t, engine, last+1)
	for len(app.executed) > 0 {
		<-app.executed
	}
	select {
	case height := <-app.executed:
		t.Errorf("an idle chain created block %d", height)
	case <-time.After(50 * interval):
	}
	if got := engine.Height(); got != last+1 {
		t.Errorf("height %d after the last message in block %d", got, last)
	}
}

// TestHeartbeat checks that an idle chain has an empty block after each heartbeat.
//
// Rules: P6.6.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	app := newMemoryApp()
	config := testConfig(newHome(t))
	config.Heartbeat = 5 * interval
	engine := start(t, config, app)
	last := submit(t, engine, accountMessage(t, 0))
	awaitBlock(t, engine, last+4)
	for number := last + 1; number <= last+4; number++ {
		if transactions, err := engine.Transactions(number); err != nil || len(transactions) > 0 {
			t.Errorf("block %d has %d transactions: %v", number, len(transactions), err)
		}
	}
}

// TestHeld checks that blocks are created while a message is pending that the application does not propose yet: the block
// time advances with blocks only.
//
// Rules: P6.4.
func TestHeld(t *testing.T) {
	t.Parallel()
	app := newMemoryApp()
	engine := start(t, testConfig(newHome(t)), app)
	awaitBlock(t, engine, 1)
	envelope := accountMessage(t, 0)
	app.mu.Lock()
	app.held[string(envelope.Transaction())] = true
	app.mu.Unlock()
	if err := engine.Submit(envelope.Transaction()); err != nil {
		t.Fatal(err)
	}
	awaitBlock(t, engine, 4)
	app.mu.Lock()
	clear(app.held)
	app.mu.Unlock()
	await(t, "the message", func() bool {
		transactions, err := engine.Transactions(engine.Height() - 1)
		return err == nil && len(transactions) == 1
	})
}

// TestDropped checks that the chain becomes idle when the application refuses a pending message in a recheck, and that the
// message can be submitted again.
//
// Rules: P6.6.
func TestDropped(t *testing.T) {
	t.Parallel()
	app := newMemoryApp()
	engine := start(t, testConfig(newHome(t)), app)
	awaitBlock(t, engine, 1)
	envelope := accountMessage(t, 0)
	app.mu.Lock()
	app.held[string(envelope.Transaction())] = true
	app.mu.Unlock()
	if err := engine.Submit(envelope.Transaction()); err != nil {
		t.Fatal(err)
	}
	app.dropped.Store(string(envelope.Transaction()), true)
	awaitIdle(t, app)
	app.dropped.Clear()
	app.mu.Lock()
	clear(app.held)
	app.mu.Unlock()
	submit(t, engine, envelope)
}

// awaitIdle waits until no block has been created for a while.
func awaitIdle(t *testing.T, app *memoryApp) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	for {
		select {
		case <-app.executed:
		case <-time.After(50 * interval):
			return
		case <-ctx.Done():
			t.Fatal("the chain does not become idle")
		}
	}
}

// TestSubmit checks the errors of Submit for committed and refused messages and after Stop.
func TestSubmit(t *testing.T) {
	t.Parallel()
	engine := start(t, testConfig(newHome(t)), newMemoryApp())
	envelope := accountMessage(t, 0)
	submit(t, engine, envelope)
	if err := engine.Submit(envelope.Transaction()); err != nil {
		t.Errorf("a committed message: %v", err)
	}
	if err := engine.Submit([]byte("not a message")); !errors.Is(err, comet.ErrRefused) {
		t.Errorf("got %v, want a refusal", err)
	}
	stop(t, engine)
	if err := engine.Submit(envelope.Transaction()); !errors.Is(err, comet.ErrStopped) {
		t.Errorf("got %v after stop", err)
	}
}

// TestFull checks that Submit returns ErrFull when the mempool is full, that no message is lost, and that Submit succeeds
// when there is space again.
//
// Rules: P10.2.
func TestFull(t *testing.T) {
	t.Parallel()
	app := newMemoryApp()
	release := make(chan struct{})
	app.hook = func(call string, height int64) error {
		if call == "prepare" && height > 1 {
			<-release
		}
		return nil
	}
	config := testConfig(newHome(t))
	config.MempoolSize = 1
	engine := start(t, config, app)
	awaitBlock(t, engine, 1)
	const capacity = 10_001 // a block more than the size
	for i := range capacity {
		if err := engine.Submit(accountMessage(t, i).Transaction()); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	over := accountMessage(t, capacity)
	if err := engine.Submit(over.Transaction()); !errors.Is(err, comet.ErrFull) {
		t.Errorf("got %v, want ErrFull", err)
	}
	close(release)
	var count int
	for number := uint64(2); count < capacity; number++ {
		awaitBlock(t, engine, number)
		transactions, err := engine.Transactions(number)
		if err != nil {
			t.Fatal(err)
		}
		count += len(transactions)
	}
	// A block can be read a little before its transactions leave the mempool.
	await(t, "space in the mempool", func() bool {
		err := engine.Submit(over.Transaction())
		if err != nil && !errors.Is(err, comet.ErrFull) {
			t.Fatal(err)
		}
		return err == nil
	})
}

// TestRestart checks that an engine continues after a restart, and replays all blocks for an application without a state.
//
// Rules: I1.
func TestRestart(t *testing.T) {
	t.Parallel()
	config := testConfig(newHome(t))
	app := newMemoryApp()
	engine := start(t, config, app)
	key := engine.Status().ValidatorKey
	before := submit(t, engine, accountMessage(t, 0), accountMessage(t, 1))
	stop(t, engine)

	engine = start(t, config, app)
	if string(engine.Status().ValidatorKey) != string(key) {
		t.Error("a different validator key after the restart")
	}
	after := submit(t, engine, accountMessage(t, 2))
	if after <= before {
		t.Errorf("block %d after block %d", after, before)
	}
	await(t, "the block for the root", func() bool { return engine.Height() > after })
	height := engine.Height()
	awaitBlock(t, engine, height)
	stop(t, engine)

	fresh := newMemoryApp()
	engine = start(t, config, fresh)
	if got := engine.Height(); got != height {
		t.Fatalf("height %d, was %d", got, height)
	}
	for number := range height + 1 {
		if string(fresh.rootAfter(number)) != string(app.rootAfter(number)) {
			t.Errorf("block %d has a different root when replayed", number)
		}
	}
}

// TestFailure checks that the engine stops and reports the reason when the application fails or panics.
func TestFailure(t *testing.T) {
	t.Parallel()
	failure := errors.New("disk full")
	for _, call := range []string{"prepare", "process", "finalize", "commit"} {
		for name, fail := range map[string]func() error{
			"fails":  func() error { return failure },
			"panics": func() error { panic(failure) },
		} {
			t.Run(call+" "+name, func(t *testing.T) {
				t.Parallel()
				app := newMemoryApp()
				app.hook = func(made string, height int64) error {
					if made == call && height == 2 {
						return fail()
					}
					return nil
				}
				engine, err := comet.Start(t.Context(), testConfig(newHome(t)), app, quiet())
				if err != nil {
					t.Fatal(err)
				}
				awaitBlock(t, engine, 1)
				if err := engine.Submit(accountMessage(t, 0).Transaction()); err != nil {
					t.Fatal(err)
				}
				awaitDone(t, engine)
				if err := engine.Err(); err == nil || !strings.Contains(err.Error(), failure.Error()) {
					t.Errorf("reason: %v", err)
				}
				if err := engine.Stop(); err == nil {
					t.Error("Stop returned no error")
				}
			})
		}
	}
}

// TestConsensusFailure checks that a failure inside CometBFT's consensus is reported.
func TestConsensusFailure(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	app := newMemoryApp()
	// The validator cannot write its sign state, and so does not sign.
	app.hook = func(call string, height int64) error {
		if call == "prepare" && height == 2 {
			return breakSignState(home)
		}
		return nil
	}
	engine, err := comet.Start(t.Context(), testConfig(home), app, quiet())
	if err != nil {
		t.Fatal(err)
	}
	awaitBlock(t, engine, 1)
	if err := engine.Submit(accountMessage(t, 0).Transaction()); err != nil {
		t.Fatal(err)
	}
	awaitDone(t, engine)
	if err := engine.Stop(); err == nil || !strings.Contains(err.Error(), "consensus failed") {
		t.Errorf("reason: %v", err)
	}
}

func awaitDone(t *testing.T, engine *comet.Engine) {
	t.Helper()
	select {
	case <-engine.Done():
	case <-time.After(timeout):
		t.Fatal("the engine did not stop")
	}
}

// TestCheckPanics checks that a transaction is refused when CheckTx panics, and that the engine continues.
//
// Rules: I10.
func TestCheckPanics(t *testing.T) {
	t.Parallel()
	app := newMemoryApp()
	first := true
	app.hook = func(call string, _ int64) error {
		if call == "check" && first {
			first = false
			panic("unchecked")
		}
		return nil
	}
	engine, err := comet.Start(t.Context(), testConfig(newHome(t)), app, quiet())
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Submit(accountMessage(t, 0).Transaction()); !errors.Is(err, comet.ErrRefused) {
		t.Errorf("got %v, want a refusal", err)
	}
	submit(t, engine, accountMessage(t, 0))
	stop(t, engine)
}

// TestStop checks that a stopped engine leaves no goroutines, closes Done without an error, and returns errors from reads.
func TestStop(t *testing.T) { //nolint:paralleltest // it counts goroutines
	before := runningEngines()
	engine := start(t, testConfig(newHome(t)), newMemoryApp())
	submit(t, engine, accountMessage(t, 0))
	stop(t, engine)
	stop(t, engine)
	awaitDone(t, engine)
	if _, err := engine.Block(1); err == nil {
		t.Error("read a block after stop")
	}
	await(t, "all goroutines to end", func() bool { return runningEngines() <= before })
}

// runningEngines counts the goroutines of engines, without those of the file of CometBFT's WAL: CometBFT does not stop these.
func runningEngines() int {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	count := 0
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		ofEngine := strings.Contains(stack, "makechain/internal/comet.") || strings.Contains(stack, "github.com/cometbft")
		ofTest := strings.Contains(stack, "testing.tRunner")
		if ofEngine && !ofTest && !strings.Contains(stack, "cometbft/libs/autofile") {
			count++
		}
	}
	return count
}

// TestStartErrors checks the errors of Start, and that the home can be used afterwards.
func TestStartErrors(t *testing.T) {
	t.Parallel()
	used := start(t, testConfig(newHome(t)), newMemoryApp())
	_, taken, _ := strings.Cut(used.Address(), "@")
	for name, test := range map[string]struct {
		change func(*comet.Config)
		app    func(*memoryApp)
		want   string
	}{
		"no home":         {change: func(c *comet.Config) { c.Home = t.TempDir() }, want: "genesis"},
		"no such address": {change: func(c *comet.Config) { c.ListenAddress = "nowhere" }, want: "listen address"},
		"address taken":   {change: func(c *comet.Config) { c.ListenAddress = taken }, want: "address already in use"},
		"peer without id": {change: func(c *comet.Config) { c.PersistentPeers = []string{"127.0.0.1:1"} }, want: "persistent_peers"},
		"interval":        {change: func(c *comet.Config) { c.BlockInterval = -1 }, want: "block interval"},
		"mempool size":    {change: func(c *comet.Config) { c.MempoolSize = -1 }, want: "mempool size"},
		"app ahead":       {app: func(a *memoryApp) { a.height, a.roots = 9, make([][]byte, 10) }, want: "blocks are missing"},
		"app fails":       {app: func(a *memoryApp) { a.hook = func(string, int64) error { return errors.New("no disk") } }, want: "no disk"},
		"app panics":      {app: func(a *memoryApp) { a.hook = func(string, int64) error { panic("no disk") } }, want: "no disk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := newHome(t)
			config, app := testConfig(home), newMemoryApp()
			if test.change != nil {
				test.change(&config)
			}
			if test.app != nil {
				test.app(app)
			}
			_, err := comet.Start(t.Context(), config, app, quiet())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want an error with %q", err, test.want)
			}
			stop(t, start(t, testConfig(home), newMemoryApp()))
		})
	}
}

// TestFutureGenesis checks that Start waits for the genesis time until the context ends.
func TestFutureGenesis(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	future := testGenesis()
	future.Time = time.Now().UTC().Truncate(time.Second).Add(time.Hour)
	if err := comet.Init(home, future); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), interval)
	defer cancel()
	if _, err := comet.Start(ctx, testConfig(home), newMemoryApp(), testLog(t)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestTwoEnginesOneHome checks that a second engine in a home is refused with ErrLocked, and that the first one continues.
func TestTwoEnginesOneHome(t *testing.T) {
	t.Parallel()
	config := testConfig(newHome(t))
	engine := start(t, config, newMemoryApp())
	if _, err := comet.Start(t.Context(), config, newMemoryApp(), quiet()); !errors.Is(err, comet.ErrLocked) {
		t.Errorf("got %v", err)
	}
	submit(t, engine, accountMessage(t, 0))
}
