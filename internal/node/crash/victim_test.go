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

// retainVariable makes that node keep so many blocks alone.
const retainVariable = "MAKECHAIN_CRASH_RETAIN"

// longestLife is how long a node may live. All it is asked for takes seconds; one that stands still must say where.
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

// runNode runs a node until it is told to stop.
func runNode(home string) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	config := nodetest.Config(home, log)
	if retain, isSet := os.LookupEnv(retainVariable); isSet {
		blocks, err := strconv.ParseUint(retain, 10, 64)
		if err != nil {
			return err
		}
		config.RetainBlocks = blocks
	}
	return nodetest.Serve(config)
}

// victim is a node that runs as a process of its own.
type victim struct {
	*nodetest.Process

	watchdog *time.Timer // ends a node that stands still
}

// launch starts a node in a home.
func launch(t *testing.T, home string, environment ...string) *victim {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The process ends with the harness or by it, not with the test's context.
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program)
	command.Env = append(append(os.Environ(), homeVariable+"="+home), environment...)
	v := &victim{Process: nodetest.Launch(t, command)}
	v.watchdog = time.AfterFunc(longestLife, v.DumpGoroutines)
	t.Cleanup(func() { v.watchdog.Stop() })
	return v
}

// newHome makes a home, of which a copy is kept among the artifacts of the test if it fails.
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
