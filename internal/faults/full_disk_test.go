package faults_test

import (
	"strings"
	"testing"

	"makechain/internal/node/nodetest"
)

// noSpace is the error of a write to a full disk.
const noSpace = "no space left on device"

// TestFullDisk fills the disk of the only validator of a chain while clients write. The node exits with the reason, and continues when
// there is space: every message that was reported as committed is in a block, and fsck finds nothing.
//
//nolint:paralleltest // mounts a file system, and needs the machine
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a process that writes until its disk is full")
	}
	if err := canMount(t); err != nil {
		t.Logf("the disk is not filled: %v", err)
		return
	}
	n := newNetwork(t, shape{validators: 1})
	n.start(0)
	clients := newWork(n, *firstSeed)
	clients.start()
	clients.awaitProgress()
	filled := n.fillDisk(0)
	nodetest.Await(t, "the node to exit", filled.took)
	process := n.nodes[0].process
	lines := strings.Split(strings.TrimSpace(process.Stderr()), "\n")
	if last := lines[len(lines)-1]; process.State().ExitCode() != 1 || !strings.Contains(last, noSpace) {
		t.Errorf("the node exited with %v, and its last line is %q", process.State(), last)
	}
	filled.undo()
	clients.awaitProgress()
	clients.end()
	result := n.check(clients.history, clients.listeners)
	t.Logf("%d messages offered, %d committed, %d refused, %d lost", result.offered, result.committed, result.refused, result.lost)
}
