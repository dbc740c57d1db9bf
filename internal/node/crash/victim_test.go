package crash_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"makechain/internal/node/nodetest"
)

// homeVariable makes a process of this test run a node in a home instead of tests.
const homeVariable = "MAKECHAIN_CRASH_HOME"

// retainVariable is the number of blocks that this node retains.
const retainVariable = "MAKECHAIN_CRASH_RETAIN"

// treeRows is less than the rows of any home here, so that nodes write pages and checkpoints of the state tree.
const treeRows = 16

// longestLife is the maximum lifetime of a node, which needs only seconds. After that its goroutines are dumped.
const longestLife = 2 * nodetest.Timeout

func TestMain(m *testing.M) {
	home, isNode := os.LookupEnv(homeVariable)
	if !isNode {
		os.Exit(m.Run())
	}
	if err := runNode(home); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runNode runs a node until it is stopped.
func runNode(home string) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	config := nodetest.Config(home, log)
	config.TreeRows = treeRows
	if retain, isSet := os.LookupEnv(retainVariable); isSet {
		blocks, err := strconv.ParseUint(retain, 10, 64)
		if err != nil {
			return err
		}
		config.RetainBlocks = blocks
	}
	return nodetest.Serve(config)
}

// victim is a node process.
type victim struct {
	*nodetest.Process

	watchdog *time.Timer // dumps the goroutines of a node that hangs
}

// launch starts a node in a home.
func launch(t *testing.T, home string, environment ...string) *victim {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The process is stopped by the test or ends with it, not with its context.
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program)
	command.Env = append(append(os.Environ(), homeVariable+"="+home), environment...)
	v := &victim{Process: nodetest.Launch(t, command)}
	v.watchdog = time.AfterFunc(longestLife, v.DumpGoroutines)
	t.Cleanup(func() { v.watchdog.Stop() })
	return v
}

// newHome returns a home, which is copied to the artifacts of the test if it fails.
func newHome(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		kept := filepath.Join(t.ArtifactDir(), "home")
		if err := os.CopyFS(kept, os.DirFS(home)); err != nil {
			t.Error(err)
		}
		t.Logf("the home is in %s, if artifacts are kept", kept)
	})
	return home
}
