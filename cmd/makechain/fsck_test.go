package main

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"makechain/internal/comet"
	"makechain/internal/node/nodetest"
)

// TestFsck refuses a home in which a node runs, and says what it checked when the node has stopped.
func TestFsck(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	fsck := func() (string, error) {
		var out strings.Builder
		command := newRootCommand()
		command.SetArgs([]string{"fsck", "--home", home, "--replay"})
		command.SetOut(&out)
		err := command.Execute()
		return out.String(), err
	}
	n := nodetest.Start(t, home)
	key := nodetest.NewAccount(t).AddKey()
	n.Submit(t, key)
	n.MustCommit(t, key)
	if out, err := fsck(); !errors.Is(err, comet.ErrRunning) || out != "" {
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
