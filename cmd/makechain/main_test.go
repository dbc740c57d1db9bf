package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"makechain/internal/node/nodetest"
)

// nowhere is an address at which no node answers.
const nowhere = "127.0.0.1:1"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"makechain": func() { os.Exit(run()) },
	})
}

// TestScripts runs the whole program as a person would, by the scripts of testdata. Besides the commands of
// testscript they have
//
//	node            starts a node of a new chain, whose address is MAKECHAIN_NODE and whose home is $NODE_HOME
//	node stop       stops it
//	exits 3 cmd...  runs a command that must end with that code
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("MAKECHAIN_NODE", nowhere)
			env.Setenv("MAKECHAIN_CONFIG_DIR", filepath.Join(env.WorkDir, "config"))
			env.Values[nodeKey{}] = new(scriptNode)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"node":  func(ts *testscript.TestScript, neg bool, args []string) { runScriptNode(t, ts, neg, args) },
			"exits": exits,
		},
	})
}

// nodeKey is where a script keeps its node.
type nodeKey struct{}

// scriptNode is the node of a script, if it has one.
type scriptNode struct{ *nodetest.Node }

func runScriptNode(t *testing.T, ts *testscript.TestScript, neg bool, args []string) {
	t.Helper()
	state, isNode := ts.Value(nodeKey{}).(*scriptNode)
	switch {
	case neg || !isNode:
		ts.Fatalf("a node cannot be negated")
	case len(args) == 1 && args[0] == "stop" && state.Node != nil:
		state.Stop(t)
	case len(args) == 0 && state.Node == nil:
		home := filepath.Join(ts.Getenv("WORK"), "node")
		state.Node = nodetest.Start(t, home)
		ts.Defer(func() { state.Stop(t) })
		ts.Setenv("MAKECHAIN_NODE", state.GRPCAddr())
		ts.Setenv("NODE_HOME", home)
	default:
		ts.Fatalf("usage: node [stop], once each")
	}
}

// exits checks the exit code of a command. What it printed is there for stdout and stderr.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		ended := (*exec.ExitError)(nil)
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("ended with %d, want %d", got, want)
	}
}
