package histories_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"makechain/internal/cli"
	"makechain/internal/cli/gitremote"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/node/nodetest"
)

const (
	programName = "makechain"
	helperName  = "git-remote-makechain"
	// pidVariable names a file to which the helper of a test writes its process id.
	pidVariable = "HISTORIES_HELPER_PID"
)

// TestMain runs the tests, or one of the programs when this one was started under its name.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case programName:
		os.Exit(cli.Main())
	case helperName:
		if err := writePID(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(gitremote.Main())
	}
	if err := gittest.Hermetic(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func writePID() error {
	path := os.Getenv(pidVariable)
	if path == "" {
		return nil
	}
	return os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o600)
}

// machine is a machine of a user, with a node, the programs on its PATH and the account alice.
type machine struct {
	dir         string // with the programs
	home        string // of the node
	node        *nodetest.Process
	address     string // of the node, host:port
	environment []string
	flags       []string // of the node
}

// newMachine starts a node of a new chain, with flags, and creates an account.
func newMachine(tb testing.TB, flags ...string) *machine {
	tb.Helper()
	m := &machine{flags: flags}
	m.start(tb, link)
	return m
}

// start installs the programs, starts the node and creates the account.
func (m *machine) start(tb testing.TB, install func(tb testing.TB, dir string)) {
	tb.Helper()
	m.dir, m.home = tb.TempDir(), filepath.Join(tb.TempDir(), "home")
	install(tb, m.dir)
	m.environment = slices.Concat(os.Environ(), gittest.Environment(), []string{
		"PATH=" + m.dir + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + m.dir, "XDG_CONFIG_HOME=", "TZ=UTC", "NO_COLOR=1", "MAKECHAIN_CONFIG_DIR=" + filepath.Join(m.dir, "config"),
	})
	m.startNode(tb)
	m.environment = append(m.environment, "MAKECHAIN_NODE="+m.address)
	m.must(tb, m.dir, programName, "account", "create", "alice", "--insecure-plaintext", "--units", "20")
}

// link makes this program available as the programs under test.
func link(tb testing.TB, dir string) {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range []string{programName, helperName} {
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			tb.Fatal(err)
		}
	}
}

// startNode starts the node in its home.
func (m *machine) startNode(tb testing.TB) {
	tb.Helper()
	m.node = nodetest.Launch(tb, m.process(tb, slices.Concat([]string{
		"node", "--home", m.home, "--grpc-addr", "127.0.0.1:0", "--rest-addr", "", "--p2p-addr", "127.0.0.1:0",
		"--block-interval", nodetest.Interval.String(), "--content-min-free", "0", "--content-max-bytes", "4GiB", "--log-level", "warn",
	}, m.flags)...))
	address, serves := m.node.Address()
	if !serves {
		tb.Fatalf("the node did not start: %s", m.node.Stderr())
	}
	m.address = address
}

// process returns a command that runs makechain until it is killed.
func (m *machine) process(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	// The cleanup of the test ends the process, after the context of the test has ended.
	command := exec.CommandContext(context.WithoutCancel(tb.Context()), filepath.Join(m.dir, programName), args...)
	command.Args[0], command.Dir, command.Env = programName, m.dir, m.environment
	return command
}

// command returns a command in a directory.
func (m *machine) command(tb testing.TB, dir, name string, args ...string) *exec.Cmd {
	tb.Helper()
	if name == programName {
		name = filepath.Join(m.dir, programName)
	}
	command := exec.CommandContext(tb.Context(), name, args...)
	command.Dir, command.Env = dir, m.environment
	return command
}

// must runs a command, which must succeed, and returns its standard output.
func (m *machine) must(tb testing.TB, dir, name string, args ...string) string {
	tb.Helper()
	command := m.command(tb, dir, name, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	printed, err := command.Output()
	if err != nil {
		tb.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(string(printed), "\n")
}

// git runs git, which must succeed.
func (m *machine) git(tb testing.TB, dir string, args ...string) string {
	tb.Helper()
	return m.must(tb, dir, "git", args...)
}

// create creates a project of alice and returns its URL.
func (m *machine) create(tb testing.TB, name string) string {
	tb.Helper()
	m.must(tb, m.dir, programName, "project", "create", name)
	return "makechain://alice/" + name
}

// clone clones all refs of a project from a store, or from the node if the store is "".
func (m *machine) clone(tb testing.TB, url, store string) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "clone.git")
	args := []string{"clone", "--quiet", "--mirror", url, dir}
	if store != "" {
		args = append([]string{"-c", "makechain.store=" + store}, args...)
	}
	m.git(tb, m.dir, args...)
	return dir
}
