package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"makechain/internal/cli"
	"makechain/internal/cli/gitremote"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"makechain": func() { os.Exit(cli.Main()) },
		"curl":      func() { os.Exit(runCurl()) },
		// git finds it on the PATH.
		"git-remote-makechain": func() { os.Exit(gitremote.Main()) },
	})
}
