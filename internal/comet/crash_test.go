package comet_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"makechain/internal/comet"
)

// crashHome is the environment variable with the home in which TestMain, in a child process, runs a chain until it reaches a
// fail point of CometBFT.
const crashHome = "COMET_TEST_CRASH_HOME"

func TestMain(m *testing.M) {
	home := os.Getenv(crashHome)
	if home == "" {
		os.Exit(m.Run())
	}
	engine, err := comet.Start(context.Background(), testConfig(home), newMemoryApp(), quiet())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for i := 0; ; i++ {
		envelope, err := author().Sign(uint32(i+1), accountData(i))
		if err != nil || engine.Submit(envelope.Transaction()) != nil {
			os.Exit(3)
		}
	}
}

// TestFailPoints crashes the process at each of CometBFT's fail points of the first blocks, and checks that the chain continues.
func TestFailPoints(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("crashes nodes")
	}
	for point := range 20 {
		t.Run(strconv.Itoa(point), func(t *testing.T) {
			t.Parallel()
			home := newHome(t)
			crash(t, home, point)
			mustContinue(t, home)
		})
	}
}

// TestMissingEndHeights checks that the chain continues from each fail point with a WAL without EndHeight records, like one
// written after a crash between a block and its record. The validator must find what it has signed.
func TestMissingEndHeights(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("crashes nodes")
	}
	for point := range 20 {
		t.Run(strconv.Itoa(point), func(t *testing.T) {
			t.Parallel()
			home := newHome(t)
			crash(t, home, point)
			removeEndHeights(t, filepath.Join(home, "data", "cs.wal", "wal"))
			mustContinue(t, home)
		})
	}
}

// crash runs a chain in a child process until a fail point.
func crash(t *testing.T, home string, point int) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program)
	command.Env = append(os.Environ(), crashHome+"="+home, "FAIL_TEST_INDEX="+strconv.Itoa(point))
	output, err := command.CombinedOutput()
	if want := fmt.Sprintf("*** fail-test %d ***", point); err == nil || !strings.Contains(string(output), want) {
		t.Fatalf("ended with %v:\n%s", err, output)
	}
}

// mustContinue restarts a chain and waits for blocks.
func mustContinue(t *testing.T, home string) {
	t.Helper()
	engine := start(t, testConfig(home), newMemoryApp())
	last := submit(t, engine, accountMessage(t, 1_000_000))
	awaitBlock(t, engine, last+1)
	stop(t, engine)
}
