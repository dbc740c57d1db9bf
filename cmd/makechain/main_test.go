package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"makechain/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"makechain": func() { os.Exit(cli.Main()) },
		"curl":      func() { os.Exit(runCurl()) },
	})
}
