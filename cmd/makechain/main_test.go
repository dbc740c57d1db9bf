package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"makechain": func() { os.Exit(run()) },
		"curl":      func() { os.Exit(runCurl()) },
	})
}
