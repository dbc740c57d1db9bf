package main

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/agent"
	"makechain/internal/identity"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// TestScripts runs the scripts in testdata, which call the program as a user does. In addition to the commands of
// testscript they can use
//
//	node            starts a node of a new chain; its address is MAKECHAIN_NODE and its home is $NODE_HOME
//	node barren     the same without a faucet
//	node copying    the same with a snapshot after every block
//	node stop       stops the node
//	exits 3 cmd...  runs a command that must exit with this code
//	commits alice alice/hello main 3fa9 41...
//	                pushes commits of alice to a branch, each the child of the one before, with these prefixes of hashes
//	keep ID regexp  sets a variable to the match of the first group of a regular expression in the last output
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("MAKECHAIN_NODE", unreachable)
			config := filepath.Join(env.WorkDir, "config")
			env.Setenv("MAKECHAIN_CONFIG_DIR", config)
			// A script that fails leaves its agent running.
			env.Defer(func() { _ = agent.Client{Socket: agent.Socket(config)}.Stop() })
			env.Values[nodeKey{}] = new(scriptNode)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"node":    func(ts *testscript.TestScript, neg bool, args []string) { runScriptNode(t, ts, neg, args) },
			"exits":   exits,
			"commits": func(ts *testscript.TestScript, _ bool, args []string) { ts.Check(addCommits(t.Context(), ts, args)) },
			"keep":    keep,
		},
	})
}

// maxContent is the disk space of content in tests, in bytes; the default depends on the disk.
const maxContent = 1 << 30

// unreachable is an address on which no node listens.
const unreachable = "127.0.0.1:1"

// nodeKey is the key of the node in the values of a script.
type nodeKey struct{}

// scriptNode is the node of a script, nil before it is started.
type scriptNode struct{ *nodetest.Node }

func runScriptNode(t *testing.T, ts *testscript.TestScript, neg bool, args []string) {
	t.Helper()
	state, isNode := ts.Value(nodeKey{}).(*scriptNode)
	switch {
	case neg || !isNode:
		ts.Fatalf("a node cannot be negated")
	case len(args) == 1 && args[0] == "stop" && state.Node != nil:
		state.Stop(t)
	case (len(args) == 0 || args[0] == "barren" || args[0] == "copying") && state.Node == nil:
		home := filepath.Join(ts.Getenv("WORK"), "node")
		config := nodetest.Config(home, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
		config.Content.Mode, config.Content.MaxBytes = node.ContentAuto, maxContent
		config.Faucet = !slices.Contains(args, "barren")
		if slices.Contains(args, "copying") {
			config.SnapshotEvery = 1
		}
		state.Node = nodetest.StartWith(t, config)
		ts.Defer(func() { state.Stop(t) })
		ts.Setenv("MAKECHAIN_NODE", state.GRPCAddr())
		ts.Setenv("NODE_HOME", home)
	default:
		ts.Fatalf("usage: node [barren|copying], then node stop, once each")
	}
}

// exits checks the exit code of a command. The commands stdout and stderr can then check its output.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// keep sets a variable to a part of the last output.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: keep variable regexp")
	}
	pattern, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	found := pattern.FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("no match for %s with one group in stdout", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// addCommits submits commits and updates a branch as a push does, with hashes that the script chooses. The environment variable
// AHEAD is the number of seconds by which its clock is ahead.
func addCommits(ctx context.Context, ts *testscript.TestScript, args []string) error {
	if len(args) < 4 {
		return errors.New("usage: commits account project branch hashes")
	}
	c, err := client.New(ts.Getenv("MAKECHAIN_NODE"))
	if err != nil {
		return err
	}
	defer c.Close()
	account, err := identity.Open(ts.Getenv("MAKECHAIN_CONFIG_DIR")).Account(args[0])
	if err != nil {
		return err
	}
	key, err := account.Key.Open(nil)
	if err != nil {
		return err
	}
	author := account.Author(key)
	project, err := c.Project(ctx, args[1])
	if err != nil {
		return err
	}
	move := message.RefMove{Nonce: 1}
	ref := "refs/heads/" + args[2]
	if current, err := c.Ref(ctx, project, ref); err == nil {
		move.Old, move.Nonce = current.Hash, current.Nonce+1
	}
	commits, err := commitChain(author.Owner(), move.Old, args[3:])
	if err != nil {
		return err
	}
	move.New = commits[len(commits)-1].Hash
	ahead := 0
	if value := ts.Getenv("AHEAD"); value != "" {
		if ahead, err = strconv.Atoi(value); err != nil {
			return err
		}
	}
	for _, data := range []*pb.MessageData{message.CommitBundle(project, message.Content{}, commits...), message.RefUpdate(project, ref, move)} {
		m, err := author.Sign(uint32(int(time.Now().Unix())+ahead), data)
		if err != nil {
			return err
		}
		if err := c.Submit(ctx, m); err != nil {
			return err
		}
		if _, err := c.AwaitCommitted(ctx, m.Hash); err != nil {
			return err
		}
	}
	return nil
}

// commitChain returns commits whose hashes start with the given digits. The first is the child of parent, unless that is zero.
func commitChain(author message.Address, parent message.Hash, prefixes []string) ([]message.Commit, error) {
	commits := make([]message.Commit, len(prefixes))
	for i, digits := range prefixes {
		hash, err := hex.DecodeString(digits + strings.Repeat("0", 2*len(parent)-len(digits)))
		if err != nil {
			return nil, err
		}
		commits[i] = message.Commit{Hash: message.Hash(hash), Author: author, Title: "commit " + digits}
		if parent != (message.Hash{}) {
			commits[i].Parents = []message.Hash{parent}
		}
		parent = commits[i].Hash
	}
	return commits, nil
}
