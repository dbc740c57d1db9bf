package comet_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"makechain/internal/comet"
)

// crashHome names, in the environment of a process of its own, the home in which TestMain runs a chain until
// CometBFT's fail point ends it.
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

// TestFailPoints ends the program at each of CometBFT's fail points of the first blocks, and goes on from there.
func TestFailPoints(t *testing.T) {
	t.Parallel()
	for point := range 20 {
		t.Run(strconv.Itoa(point), func(t *testing.T) {
			t.Parallel()
			home := newHome(t)
			program, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			crash := exec.CommandContext(t.Context(), program)
			crash.Env = append(os.Environ(), crashHome+"="+home, "FAIL_TEST_INDEX="+strconv.Itoa(point))
			output, err := crash.CombinedOutput()
			if want := fmt.Sprintf("*** fail-test %d ***", point); err == nil || !strings.Contains(string(output), want) {
				t.Fatalf("ended with %v:\n%s", err, output)
			}
			engine := start(t, testConfig(home), newMemoryApp())
			last := submit(t, engine, accountMessage(t, 1_000_000))
			awaitBlock(t, engine, last+1)
			stop(t, engine)
		})
	}
}
