package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/testnet"
)

// TestTestnetStart runs a network in which one node cannot start. It checks that the command reports this, that the other
// nodes continue, and that all stop with the command.
func TestTestnetStart(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network of processes")
	}
	dir := filepath.Join(t.TempDir(), "net")
	made, err := testnet.Init(testnet.Options{Dir: dir, Validators: 2, Followers: 1, BlockInterval: blockInterval})
	if err != nil {
		t.Fatal(err)
	}
	broken := made.Nodes[2]
	if err := os.WriteFile(filepath.Join(broken.Home, settings.ConfigFile), []byte("colour = \"blue\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	started := nodetest.Launch(t, program(t, "testnet", "start", dir, "--", "--log-level", "error"))
	for _, line := range []string{
		`(?m)^node0   validator  block \d+ +1 peer +0 pending  ready$`,
		`(?m)^node1   validator  block \d+ +1 peer +0 pending  ready$`,
		`(?m)^node2   follower   block 0 +0 peers +0 pending  exited with exit status 2: see .*node2/node\.log$`,
	} {
		nodetest.Await(t, line, func() bool { return regexp.MustCompile(line).MatchString(started.Stdout()) })
	}
	client := nodetest.Dial(made.Nodes[0].GRPC)
	defer client.Close()
	key := nodetest.NewAccount(t).AddKey()
	client.Submit(t, key)
	client.MustCommit(t, key)
	started.Stop(t)
	for _, one := range made.Nodes[:2] {
		if err := node.Check(one.Home, node.CheckOptions{Report: func(string) {}}); err != nil {
			t.Errorf("data of %s: %v", one.Name, err)
		}
	}
	log, err := os.ReadFile(filepath.Join(broken.Home, testnet.LogFile))
	if err != nil || !strings.Contains(string(log), "config.toml:1: colour: unknown key") {
		t.Errorf("the log of the broken node is %q, %v", log, err)
	}
}

// TestTestnetAllExited checks that the command fails when no node can start.
func TestTestnetAllExited(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network of processes")
	}
	dir := filepath.Join(t.TempDir(), "net")
	if _, err := testnet.Init(testnet.Options{Dir: dir, Validators: 1}); err != nil {
		t.Fatal(err)
	}
	started := nodetest.Launch(t, program(t, "testnet", "start", dir, "--", "--log-level", "loud"))
	<-started.Done()
	if started.State().ExitCode() != usage.ExitFailed || !strings.Contains(started.Stderr(), "all nodes have exited") {
		t.Errorf("exited with %v: %s", started.State(), started.Stderr())
	}
}
