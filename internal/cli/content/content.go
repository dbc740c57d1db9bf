// Package content has the commands that run a content service and manage its directory.
package content

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/content"
	"makechain/internal/contentserver"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/term"
)

// New returns the command content.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "content",
		Short: "Run a content service and manage what it stores",
		Long: `A content service stores git bundles of projects and serves them to git. Every node
has one by default. It can also run as a process of its own.`,
		Example: "  makechain content status\n  makechain content serve --node node.example:50051",
	}
	command.AddCommand(
		newServeCommand(), newMirrorCommand(), newConsolidateCommand(), newStatusCommand(), newAuditCommand(),
		newRebuildCommand(), newBlockCommand(), newUnblockCommand(),
	)
	return command
}

// dirFlags select a directory of content.
type dirFlags struct{ home, dir string }

func (d *dirFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&d.home, settings.HomeFlag, node.DefaultHome, "home of the node whose content it is")
	flags.StringVar(&d.dir, settings.ContentDirFlag, "", "directory of content (default content in the home)")
}

func (d *dirFlags) path() string {
	if d.dir != "" {
		return d.dir
	}
	return filepath.Join(d.home, node.ContentDir)
}

// check adds a next step to the error of a directory without content.
func (d *dirFlags) check(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return usage.Advise(fmt.Errorf("%s has no content", d.path()), "--home of a node, or --content-dir")
	}
	return err
}

func newStatusCommand() *cobra.Command {
	var dir dirFlags
	var across statusFlags
	out := &across.query.Output
	command := &cobra.Command{
		Use:   "status [project]",
		Short: "Show which store has what of a project, or what a directory of content has",
		Long: `With a project, ask its stores for each git bundle that the chain names: those of --from and of
git config makechain.store, the node's, and those that the project names on the chain. The exit
code is 1 if no store has one that is needed. Without a project, show what a directory has. The
service may be running. Unnamed git bundles are deleted unless the chain names them in time.`,
		Example:           "  makechain content status alice/hello --digests\n  makechain content status --home /var/lib/makechain",
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Projects),
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) > 0 {
				return across.query.Run(command, func(q *query.Query) error { return across.run(q, args[0]) })
			}
			holdings, block, err := content.Inspect(dir.path())
			if err != nil {
				return dir.check(err)
			}
			blocked, err := content.ReadBlocked(dir.path())
			if err != nil {
				return err
			}
			projects := []map[string]any{}
			for _, h := range holdings {
				projects = append(projects, map[string]any{
					"project_id": h.Project.String(), "bundles": h.Bundles, "bytes": output.Number(uint64(h.Bytes)), "unnamed": h.Unnamed,
					"removed": h.Removed, "blocked": slices.Contains(blocked, h.Project),
				})
			}
			value := map[string]any{"block": output.Number(block), "projects": projects, "blocked": texts(blocked)}
			return out.PrintValue(command, value, func(p *term.Printer) {
				table := p.Table("project", "bundles", "size", "unnamed", "state")
				for _, h := range holdings {
					table.Row(h.Project.String(), output.Number(uint64(h.Bundles)), term.Size(uint64(h.Bytes)), output.Number(uint64(h.Unnamed)), state(&h, blocked))
				}
				table.Print("no content")
			})
		},
	}
	dir.register(command.Flags())
	across.register(command)
	return command
}

func state(h *content.Holding, blocked []ident.Hash) string {
	switch {
	case slices.Contains(blocked, h.Project):
		return "blocked"
	case h.Removed:
		return "removed"
	default:
		return "-"
	}
}

func texts(ids []ident.Hash) []string {
	list := []string{}
	for _, id := range ids {
		list = append(list, id.String())
	}
	return list
}

func newRebuildCommand() *cobra.Command {
	var dir dirFlags
	command := &cobra.Command{
		Use:   "rebuild",
		Short: "Rebuild the repositories from the git bundles",
		Long: `The repositories are a cache. The command deletes them; the service builds them again
from the git bundles when it starts. It must not be running.`,
		Example: "  makechain content rebuild --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if _, _, err := content.Inspect(dir.path()); err != nil {
				return dir.check(err)
			}
			err := contentserver.RemoveRepositories(dir.path())
			if errors.Is(err, contentserver.ErrInUse) {
				return usage.Advise(err, "stopping the node or service first")
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), "the repositories will be rebuilt when the service starts")
			return err
		},
	}
	dir.register(command.Flags())
	return command
}

func newBlockCommand() *cobra.Command {
	return newBlockingCommand(&cobra.Command{
		Use:   "block <digest|project>...",
		Short: "Stop serving and accepting content",
		Long: `Each argument is the digest of a git bundle or the id of a project, 64 hex digits. What is
blocked stays stored. A running service follows within a few seconds.`,
		Example: "  makechain content block 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	}, func(blocked []ident.Hash, id ident.Hash) []ident.Hash {
		if slices.Contains(blocked, id) {
			return blocked
		}
		return append(blocked, id)
	})
}

func newUnblockCommand() *cobra.Command {
	return newBlockingCommand(&cobra.Command{
		Use:     "unblock <digest|project>...",
		Short:   "Serve and accept blocked content again",
		Example: "  makechain content unblock 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	}, func(blocked []ident.Hash, id ident.Hash) []ident.Hash {
		return slices.DeleteFunc(blocked, func(other ident.Hash) bool { return other == id })
	})
}

// newBlockingCommand completes a command that changes the list of what is blocked.
func newBlockingCommand(command *cobra.Command, change func(blocked []ident.Hash, id ident.Hash) []ident.Hash) *cobra.Command {
	var dir dirFlags
	command.Args = cobra.MinimumNArgs(1)
	command.RunE = func(command *cobra.Command, args []string) error {
		if _, _, err := content.Inspect(dir.path()); err != nil {
			return dir.check(err)
		}
		blocked, err := content.ReadBlocked(dir.path())
		if err != nil {
			return err
		}
		for _, arg := range args {
			id, err := ident.ParseHash(arg)
			if err != nil {
				return usage.Errorf(command, "%w", err)
			}
			blocked = change(blocked, id)
		}
		if err := content.WriteBlocked(dir.path(), blocked); err != nil {
			return err
		}
		_, err = fmt.Fprintf(command.OutOrStdout(), "blocked: %d\n", len(blocked))
		return err
	}
	dir.register(command.Flags())
	return command
}
