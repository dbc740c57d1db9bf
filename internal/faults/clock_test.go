package faults_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// clockVariable is by how many seconds the clock of a program is wrong that was built for it.
	clockVariable = "MAKECHAIN_FAULTS_CLOCK"

	// A node whose clock is further behind than this cannot check what the others agree on: the engine stops it, with a
	// complaint.
	clockTolerance = time.Minute
	clockComplaint = "too far in the future"

	// rightClock and wrongClock are how the standard library tells the time, and how it shall.
	rightClock = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	wrongClock = rightClock + "\tsec += wrongBy\n"

	// clockSource reads the variable. What the program measures, rather than tells, is not wrong.
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

// setClock starts a node anew that believes it to be earlier or later than it is.
func (n *network) setClock(i int, wrongBy time.Duration) ongoing {
	n.t.Helper()
	n.kill(i)
	n.startRebuilt(i, clockVariable+"="+strconv.FormatInt(int64(wrongBy.Seconds()), 10))
	return ongoing{undo: func() {
		if wrongBy < -clockTolerance && n.nodes[i].gaveUp(clockComplaint) {
			n.nodes[i].process = nil
		} else {
			n.kill(i)
		}
		n.start(i)
	}}
}

// gaveUp says whether a node has ended by itself and said why.
func (m *member) gaveUp(why string) bool {
	select {
	case <-m.process.Done():
		return strings.Contains(m.process.Stderr(), why)
	default:
		return false
	}
}

// startRebuilt starts the program that was built for it with some variables, this once.
func (n *network) startRebuilt(i int, variables ...string) {
	n.t.Helper()
	m := n.nodes[i]
	m.program, m.environment = n.rebuilt, variables
	n.start(i)
	m.program, m.environment = "", nil
}
