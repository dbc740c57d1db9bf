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

// TestFirstBlock wants the first block, which certifies genesis, within three seconds of making the home.
//
// Rules: P6.6, P11.3.
func TestFirstBlock(t *testing.T) {
	t.Parallel()
	began := time.Now()
	engine := start(t, testConfig(newHome(t)), newMemoryApp())
	awaitBlock(t, engine, 1)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("first block after %v", took)
	}
}

// TestIdle makes the blocks that messages need, one more for the root, and then none.
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
		t.Errorf("an idle chain made block %d", height)
	case <-time.After(50 * interval):
	}
	if got := engine.Height(); got != last+1 {
		t.Errorf("height %d after the last message in block %d", got, last)
	}
}

// TestHeld keeps making blocks while a message waits that the application does not propose: time moves on
// with blocks only.
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

// TestDropped comes to rest when the application no longer wants what it took, and takes it again when it does.
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
	awaitRest(t, app)
	app.dropped.Clear()
	app.mu.Lock()
	clear(app.held)
	app.mu.Unlock()
	submit(t, engine, envelope)
}

// awaitRest waits until no block has been made for a while.
func awaitRest(t *testing.T, app *memoryApp) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		select {
		case <-app.executed:
		case <-time.After(50 * interval):
			return
		case <-ctx.Done():
			t.Fatal("the chain does not come to rest")
		}
	}
}

// TestSubmit tells apart what is taken, what is there already and what the application refuses.
func TestSubmit(t *testing.T) {
	t.Parallel()
	engine := start(t, testConfig(newHome(t)), newMemoryApp())
	envelope := accountMessage(t, 0)
	submit(t, engine, envelope)
	if err := engine.Submit(envelope.Transaction()); err != nil {
		t.Errorf("a committed message: %v", err)
	}
	if err := engine.Submit([]byte("no message")); !errors.Is(err, comet.ErrRefused) {
		t.Errorf("got %v, want a refusal", err)
	}
	stop(t, engine)
	if err := engine.Submit(envelope.Transaction()); !errors.Is(err, comet.ErrStopped) {
		t.Errorf("got %v after stop", err)
	}
}

// TestFull refuses what does not fit into the mempool, loses nothing, and takes it when there is room.
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
	const room = 10_001 // a block more than the size
	for i := range room {
		if err := engine.Submit(accountMessage(t, i).Transaction()); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	over := accountMessage(t, room)
	if err := engine.Submit(over.Transaction()); !errors.Is(err, comet.ErrFull) {
		t.Errorf("got %v, want that it is full", err)
	}
	close(release)
	var count int
	for number := uint64(2); count < room; number++ {
		awaitBlock(t, engine, number)
		transactions, err := engine.Transactions(number)
		if err != nil {
			t.Fatal(err)
		}
		count += len(transactions)
	}
	// A block is there a little before its transactions leave the pool.
	await(t, "room", func() bool {
		err := engine.Submit(over.Transaction())
		if err != nil && !errors.Is(err, comet.ErrFull) {
			t.Fatal(err)
		}
		return err == nil
	})
}

// TestRestart goes on where it stopped, with the application's state and, from genesis, without it.
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
		t.Error("another validator key after the restart")
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
			t.Errorf("block %d has another root when replayed", number)
		}
	}
}

// TestFailure stops the engine with the reason when the application fails or panics.
func TestFailure(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is full")
	for _, call := range []string{"prepare", "process", "finalize", "commit"} {
		for name, fail := range map[string]func() error{
			"fails":  func() error { return broken },
			"panics": func() error { panic(broken) },
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
				if err := engine.Err(); err == nil || !strings.Contains(err.Error(), broken.Error()) {
					t.Errorf("reason: %v", err)
				}
				if err := engine.Stop(); err == nil {
					t.Error("stopped as if nothing had happened")
				}
			})
		}
	}
}

// TestConsensusFailure notices that CometBFT's consensus has given up for a reason of its own.
func TestConsensusFailure(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	app := newMemoryApp()
	// The validator cannot write down what it signs, and so does not sign.
	app.hook = func(call string, height int64) error {
		if call == "prepare" && height == 2 {
			return loseSigningRecord(home)
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
	case <-time.After(patience):
		t.Fatal("the engine goes on")
	}
}

// TestCheckPanics refuses a transaction whose check panics, and goes on.
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

// TestStop leaves nothing of the engine running, closes Done without a reason, and answers reads with errors.
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
	await(t, "the end of all goroutines", func() bool { return runningEngines() <= before })
}

// runningEngines counts the goroutines of engines. Those that watch the file of CometBFT's write-ahead log do
// not count: it leaves them behind when it closes the file.
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

// TestStartErrors says what is wrong, and leaves the home usable.
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
		"seeds alone":     {change: func(c *comet.Config) { c.Seeds = []string{"x@127.0.0.1:1"} }, want: "peer exchange"},
		"interval":        {change: func(c *comet.Config) { c.BlockInterval = -1 }, want: "block interval"},
		"mempool size":    {change: func(c *comet.Config) { c.MempoolSize = -1 }, want: "mempool size"},
		"app ahead":       {app: func(a *memoryApp) { a.height, a.roots = 9, make([][]byte, 10) }, want: "blocks are gone"},
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
				t.Fatalf("got %v, want an error that says %q", err, test.want)
			}
			stop(t, start(t, testConfig(home), newMemoryApp()))
		})
	}
}

// TestFutureGenesis waits for a chain to begin as long as the context says.
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

// TestTwoEnginesOneHome refuses the second, and the first goes on.
func TestTwoEnginesOneHome(t *testing.T) {
	t.Parallel()
	config := testConfig(newHome(t))
	engine := start(t, config, newMemoryApp())
	if _, err := comet.Start(t.Context(), config, newMemoryApp(), quiet()); err == nil || !strings.Contains(err.Error(), "database") {
		t.Errorf("got %v", err)
	}
	submit(t, engine, accountMessage(t, 0))
}
