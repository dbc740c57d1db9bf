package faults_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// clockVariable is the environment variable with the clock error in seconds, for a rebuilt program.
	clockVariable = "MAKECHAIN_FAULTS_CLOCK"

	// A node whose clock is behind by more than this cannot verify the time of blocks: CometBFT stops it with an error.
	clockTolerance = time.Minute
	clockComplaint = "too far in the future"

	// rightClock is the start of time.Now in the standard library, and wrongClock its replacement.
	rightClock = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	wrongClock = rightClock + "\tsec += wrongBy\n"

	// clockSource reads the variable. The monotonic clock is not affected.
	clockSource = `package time

import "syscall"

var wrongBy = func() (seconds int64) {
	value, _ := syscall.Getenv("` + clockVariable + `")
	sign := int64(1)
	for _, c := range value {
		if c == '-' {
			sign = -1
		} else {
			seconds = 10*seconds + int64(c-'0')
		}
	}
	return sign * seconds
}()
`
)

func clockChanges(t *testing.T) []change {
	t.Helper()
	dir := library(t, "time")
	return []change{
		{path: filepath.Join(dir, "time.go"), from: rightClock, to: wrongClock},
		{path: filepath.Join(dir, "wrong.go"), to: clockSource},
	}
}

// setClock restarts a node with a wrong clock.
func (n *network) setClock(i int, wrongBy time.Duration) ongoing {
	n.t.Helper()
	n.kill(i)
	n.startRebuilt(i, clockVariable+"="+strconv.FormatInt(int64(wrongBy.Seconds()), 10))
	return ongoing{undo: func() {
		if wrongBy < -clockTolerance && n.nodes[i].exitedWithReason(clockComplaint) {
			n.nodes[i].process = nil
		} else {
			n.kill(i)
		}
		n.start(i)
	}}
}

// exitedWithReason reports whether a node has exited and logged a reason.
func (m *member) exitedWithReason(why string) bool {
	select {
	case <-m.process.Done():
		return strings.Contains(m.process.Stderr(), why)
	default:
		return false
	}
}

// startRebuilt starts the rebuilt program once, with environment variables.
func (n *network) startRebuilt(i int, variables ...string) {
	n.t.Helper()
	m := n.nodes[i]
	m.program, m.environment = n.rebuilt, variables
	n.start(i)
	m.program, m.environment = "", nil
}
