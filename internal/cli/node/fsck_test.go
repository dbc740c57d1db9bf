package node

import (
	"errors"
	"regexp"
	"testing"

	"makechain/internal/cli/clitest"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
)

// TestFsck checks that the home of a running node is refused, and the output for a stopped one.
func TestFsck(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	fsck := func() (string, error) {
		stdout, _, err := clitest.Run(t.Context(), NewFsck(), "--home", home, "--replay")
		return stdout, err
	}
	n := nodetest.Start(t, home)
	key := nodetest.NewAccount(t).AddKey()
	n.Submit(t, key)
	n.MustCommit(t, key)
	var inUse *node.HomeInUseError
	if out, err := fsck(); !errors.As(err, &inUse) || out != "" {
		t.Errorf("while the node runs: %q, %v", out, err)
	}
	n.Stop(t)
	out, err := fsck()
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^state    block \d+, 3 rows, root [0-9a-f]{64}
blocks   \d+, from 1 on
rows     3 with their counters, reverse rows and derived rows
indexes  \d+ rows, for 1 messages of \d+ blocks
replay   \d+ blocks from genesis give the same roots
clean
$`)
	if !want.MatchString(out) {
		t.Errorf("printed\n%s", out)
	}
}
