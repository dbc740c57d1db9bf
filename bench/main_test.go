package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"makechain/bench/process"
	"makechain/internal/node/nodetest"
)

// TestMain lets scripts run this program as bench.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"bench": main})
}

// TestScripts runs the program by the scripts of testdata. The command node starts a node of a new chain, with its address
// in $NODE; the program
// makechain is $PROGRAM.
func TestScripts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts nodes")
	}
	program, err := process.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PROGRAM", program)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"node": func(ts *testscript.TestScript, _ bool, _ []string) {
				n := nodetest.Start(t, filepath.Join(ts.Getenv("WORK"), "node"))
				ts.Defer(func() { n.Stop(t) })
				ts.Setenv("NODE", n.GRPCAddr())
			},
		},
	})
}
