package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"makechain": func() { os.Exit(run()) },
	})
}

// TestScripts runs the whole program as a person would, by the scripts of testdata.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata", RequireExplicitExec: true})
}
