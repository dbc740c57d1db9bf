package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestCommands finds every command explained: with a short text, an example that calls it, and a group at the top.
func TestCommands(t *testing.T) {
	t.Parallel()
	root := newRootCommand()
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
		if command.Flags().Lookup("node") != nil && command.Flags().Lookup("json") == nil {
			t.Errorf("%s talks to a node and has no --json", path)
		}
		if command.Flags().Lookup("account") != nil && command.Flags().Lookup("wait") == nil && !signsNothing(command) {
			t.Errorf("%s has --account and no --wait", path)
		}
	})
}

// signsNothing says whether a command wants an account only to know who is meant.
func signsNothing(command *cobra.Command) bool {
	return command.CommandPath() == "makechain verify claim"
}

func walk(command *cobra.Command, visit func(*cobra.Command)) {
	visit(command)
	for _, below := range command.Commands() {
		walk(below, visit)
	}
}

// TestArguments counts arguments, and names the one that is missing.
func TestArguments(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		names, args []string
		want        string
	}{
		"exact":      {[]string{"a project", "an id"}, []string{"x", "y"}, ""},
		"missing":    {[]string{"a project", "an id"}, []string{"x"}, "missing an id"},
		"all gone":   {[]string{"a project", "an id"}, nil, "missing a project"},
		"too many":   {[]string{"a project"}, []string{"x", "y"}, `one argument too many: "y"`},
		"optional":   {[]string{"a project", "[branch]"}, []string{"x"}, ""},
		"with it":    {[]string{"a project", "[branch]"}, []string{"x", "y"}, ""},
		"several":    {[]string{"a branch..."}, []string{"x", "y", "z"}, ""},
		"not one":    {[]string{"a branch..."}, nil, "missing a branch..."},
		"over again": {[]string{"[account]"}, []string{"x", "y"}, `one argument too many: "y"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := arguments(test.names...)(&cobra.Command{Use: "x"}, test.args)
			if got := describeIf(err); got != test.want || err != nil && exitCode(err) != exitUsage {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func describeIf(err error) string {
	if err == nil {
		return ""
	}
	return describe(err)
}

// TestConfirm needs --yes where nobody can be asked.
func TestConfirm(t *testing.T) {
	t.Parallel()
	command := &cobra.Command{Use: "x"}
	command.SetIn(strings.NewReader("y\n"))
	if err := confirm(command, true, "Sure?"); err != nil {
		t.Error(err)
	}
	if err := confirm(command, false, "Sure?"); exitCode(err) != exitUsage || !strings.Contains(err.Error(), "--yes") {
		t.Errorf("without a terminal: %v", err)
	}
}
