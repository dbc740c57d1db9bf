package gitremote

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"makechain/client"
	"makechain/internal/cli"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
)

const (
	helperName  = "git-remote-makechain"
	programName = "makechain"
	// timeoutVariable is the time limit of a call of the helper, and rollbackVariable how long it waits for a node that is behind.
	timeoutVariable  = "GITREMOTE_TEST_TIMEOUT"
	rollbackVariable = "GITREMOTE_TEST_ROLLBACK"
	// maxContent is the disk space of content, in bytes; the default depends on the disk.
	maxContent = 1 << 30
)

// TestMain runs the tests, or the program whose name this one was started under.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case helperName:
		r := &remote{}
		for name, option := range map[string]func(time.Duration) client.Option{
			timeoutVariable: client.WithCallTimeout, rollbackVariable: client.WithRollbackTimeout,
		} {
			if limit, err := time.ParseDuration(os.Getenv(name)); err == nil {
				r.connection.Options = append(r.connection.Options, option(limit))
			}
		}
		os.Exit(execute(r))
	case programName:
		os.Exit(cli.Main())
	}
	if err := gittest.Hermetic(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// machine is a user's machine: a directory with the programs, the user's configuration, and repositories.
type machine struct {
	dir         string
	environment []string
}

// newMachine returns a machine whose configuration names a node and a genesis file.
func newMachine(t *testing.T, address, genesis string) *machine {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{dir: t.TempDir()}
	for _, name := range []string{helperName, programName} {
		if err := os.Symlink(self, filepath.Join(m.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	m.environment = append(os.Environ(), append(gittest.Environment(),
		"PATH="+m.dir+string(os.PathListSeparator)+os.Getenv("PATH"), "MAKECHAIN_NODE="+address, "MAKECHAIN_GENESIS="+genesis,
		"MAKECHAIN_CONFIG_DIR="+filepath.Join(m.dir, "config"), "GIT_CONFIG_GLOBAL="+filepath.Join(m.dir, "gitconfig"))...)
	return m
}

// run runs a program in a directory of the machine. It returns what it printed on both outputs, and whether it succeeded.
func (m *machine) run(t *testing.T, dir string, args ...string) (printed string, succeeded bool) {
	t.Helper()
	name := args[0]
	if name == programName {
		name = filepath.Join(m.dir, programName)
	}
	command := exec.CommandContext(t.Context(), name, args[1:]...)
	command.Dir, command.Env = filepath.Join(m.dir, dir), m.environment
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	return strings.TrimSuffix(out.String(), "\n"), err == nil
}

// must runs a program, which must succeed.
func (m *machine) must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	printed, succeeded := m.run(t, dir, args...)
	if !succeeded {
		t.Fatalf("%s failed: %s", strings.Join(args, " "), printed)
	}
	return printed
}

// startNode starts a node of a new chain, with content.
func startNode(t *testing.T) *nodetest.Node {
	t.Helper()
	config := nodetest.Config(t.TempDir(), slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	config.Content.Mode, config.Content.MaxBytes = node.ContentAuto, maxContent
	return nodetest.StartWith(t, config)
}

// genesisOf returns the path of a node's genesis file.
func genesisOf(n *nodetest.Node) string { return filepath.Join(n.Home(), "config", "genesis.json") }
