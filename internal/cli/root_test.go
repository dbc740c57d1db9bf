package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"makechain/internal/cli/clitest"
	"makechain/internal/cli/usage"
	"makechain/internal/node/nodetest"
)

// TestCommands checks that every command has a short text, an example that calls it and, at the top, a group.
func TestCommands(t *testing.T) {
	t.Parallel()
	root := New()
	for _, command := range root.Commands() {
		if command.GroupID == "" && command.Name() != "help" {
			t.Errorf("%s belongs to no group", command.CommandPath())
		}
	}
	walk(root, func(command *cobra.Command) {
		path := command.CommandPath()
		if command.Short == "" || strings.HasSuffix(command.Short, ".") {
			t.Errorf("%s: short text %q", path, command.Short)
		}
		if command.Name() != "version" && !strings.HasPrefix(path, "makechain completion") && !strings.Contains(command.Example, path) {
			t.Errorf("%s has no example that calls it: %q", path, command.Example)
		}
		if !command.Runnable() {
			t.Errorf("%s does nothing", path)
		}
		if command.Flags().Lookup("node") != nil && command.Flags().Lookup("json") == nil && !serves(command) {
			t.Errorf("%s talks to a node and has no --json", path)
		}
		if command.Flags().Lookup("account") != nil && command.Flags().Lookup("wait") == nil && !sendsNothing(command) {
			t.Errorf("%s has --account and no --wait", path)
		}
	})
}

// serves reports whether a command serves a node to others.
func serves(command *cobra.Command) bool {
	return slices.Contains([]string{"makechain content serve", "makechain explorer", "makechain attester"}, command.CommandPath())
}

// sendsNothing reports whether a command uses an account without sending messages.
func sendsNothing(command *cobra.Command) bool {
	return slices.Contains([]string{
		"makechain verify claim", "makechain content audit", "makechain content mirror", "makechain content status",
	}, command.CommandPath())
}

func walk(command *cobra.Command, visit func(*cobra.Command)) {
	visit(command)
	for _, below := range command.Commands() {
		walk(below, visit)
	}
}

// TestAccountOfAnotherChain checks that commands refuse to sign for a chain that the node does not serve, until the
// account is created there too. Development chains are replaced often.
func TestAccountOfAnotherChain(t *testing.T) {
	t.Parallel()
	first, second := nodetest.Start(t, t.TempDir()), nodetest.Start(t, t.TempDir())
	dir := t.TempDir()
	run := func(n *nodetest.Node, args ...string) (string, error) {
		stdout, stderr, err := clitest.Run(t.Context(), New(), append(args, "--config-dir", dir, "--node", n.GRPCAddr())...)
		return stdout + stderr, err
	}
	if out, err := run(first, "account", "create", "alice", "--insecure-plaintext"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, command := range [][]string{{"account", "set", "--bio", "x"}, {"key", "add", "--save-as", "ci"}} {
		_, err := run(second, command...)
		if err == nil || !strings.Contains(err.Error(), "account alice is on chain "+first.ChainID()) ||
			!strings.Contains(usage.Advice(err), "makechain account create alice") {
			t.Errorf("%v: %v, advice %q", command, err, usage.Advice(err))
		}
	}
	out, err := run(second, "account", "create", "alice")
	if err != nil || !strings.Contains(out, " instead of "+first.ChainID()) || !strings.Contains(out, "alice is on chain "+second.ChainID()) {
		t.Errorf("%v\n%s", err, out)
	}
	for n, want := range map[*nodetest.Node]bool{first: false, second: true} {
		if _, err := run(n, "account", "set", "--bio", "x"); (err == nil) != want {
			t.Errorf("on chain %s: %v", n.ChainID(), err)
		}
	}
	if out, err := run(first, "account", "create", "alice"); err != nil || !strings.Contains(out, "username  alice, held") {
		t.Errorf("back on the first chain: %v\n%s", err, out)
	}
}
