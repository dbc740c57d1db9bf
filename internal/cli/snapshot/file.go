package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/internal/cli/output"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/node"
	"makechain/internal/term"
	"makechain/proof/finality"
)

func newExportCommand() *cobra.Command {
	var f flags
	var options node.ExportOptions
	var target string
	command := &cobra.Command{
		Use:   "export <file>",
		Short: "Export a snapshot to a file",
		Long: `Export a snapshot to a file, with the data that verifies it: the genesis, and headers that the validators signed.
If a node is running in the home, the headers are read from it, so --node must be its address.`,
		Example: "  makechain snapshot export chain.snapshot\n  makechain snapshot export chain.snapshot --height 12000",
		Args:    usage.Args("a file to write"),
		RunE: func(command *cobra.Command, args []string) error {
			c, err := client.New(target)
			if err != nil {
				return usage.Errorf(command, "--node: %w", err)
			}
			defer c.Close()
			options.FetchLightBlock = func(ctx context.Context, number uint64) ([]byte, error) {
				light, err := c.LightBlock(ctx, number)
				if errors.Is(err, finality.ErrNotFound) {
					return nil, nil
				}
				return light, err
			}
			carried, err := exportTo(command, f.home, args[0], options)
			if err != nil {
				return adviseOnExport(err, f.home)
			}
			return f.printFile(command, carried, term.Fact{Label: "file", Value: args[0]})
		},
	}
	f.register(command)
	flags := command.Flags()
	flags.Uint64Var(&options.Height, "height", 0, "height of the snapshot (default the newest that a block certifies)")
	flags.StringVar(&target, "node", node.DefaultGRPC, "address of the node that runs in the home, if any: host:port")
	return command
}

// exportTo writes a snapshot file. It appears under its name when it is complete, and never replaces another file.
func exportTo(command *cobra.Command, home, path string, options node.ExportOptions) (carried *node.ArchiveInfo, err error) {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%s already exists", path), err)
	}
	draft := path + ".part"
	file, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, output.PrivateMode)
	if err != nil {
		return nil, err
	}
	progress := term.StartProgress(command.ErrOrStderr(), "writing")
	options.Progress = func(done, total int) { progress.Set("writing chunks", done, total) }
	carried, err = node.Export(command.Context(), home, options, file)
	progress.Stop()
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(draft))
	}
	return carried, nil
}

// adviseOnExport adds the next step after a failed export.
func adviseOnExport(err error, home string) error {
	switch {
	case errors.Is(err, node.ErrNoSnapshot):
		return usage.Advise(err, "makechain snapshot list --home %s; makechain node takes a snapshot every --snapshot-every blocks", home)
	case errors.Is(err, node.ErrUncertified):
		return usage.Advise(err, "again after the next block")
	case client.IsUnreachable(err):
		return usage.Advise(err, "--node with the address of the node that runs in %s", home)
	default:
		return err
	}
}

func newImportCommand() *cobra.Command {
	var f flags
	var options node.ImportOptions
	var genesis, trusted string
	command := &cobra.Command{
		Use:   "import <file>",
		Short: "Import a snapshot into a home",
		Long: `Import a snapshot into a home from a file of makechain snapshot export.

Everything in the file is verified: chunks against their hashes, rows against the root, and the root against the
signatures of the validators. They must be those of the genesis (--genesis, or that of the home), or --trust must give
the hash of the block that certifies the root, which export prints and makechain block get shows on any node. After the
import, makechain node in the home continues from there.

The home must not have a chain; it may have the keys of a node. The only validator of a chain does not sign heights that
it has signed before, so the chain would halt: --sign-again allows it when the blocks after the snapshot are lost.`,
		Example: "  makechain snapshot import chain.snapshot --home elsewhere --genesis genesis.json\n" +
			"  makechain snapshot import chain.snapshot --home elsewhere --trust 12001:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		Args: usage.Args("a file to read"),
		RunE: func(command *cobra.Command, args []string) (err error) {
			if trusted != "" {
				if options.Trust, err = settings.ParseTrusted(trusted); err != nil {
					return usage.Errorf(command, "--trust: %w", err)
				}
			}
			if genesis != "" {
				if options.Genesis, err = os.ReadFile(genesis); err != nil {
					return fmt.Errorf("--genesis: %w", err)
				}
			}
			carried, err := importFrom(command, f.home, args[0], options)
			if err != nil {
				return adviseOnImport(err)
			}
			return f.printFile(command, carried, term.Fact{Label: "home", Value: f.home})
		},
	}
	f.register(command)
	flags := command.Flags()
	flags.StringVar(&genesis, "genesis", "", "genesis file of the chain (default that of the home)")
	flags.StringVar(&trusted, "trust", "", "trusted block, as number:hash")
	flags.BoolVar(&options.SignAgain, "sign-again", false, "reset what the only validator of the chain has signed after the snapshot")
	return command
}

func importFrom(command *cobra.Command, home, path string, options node.ImportOptions) (*node.ArchiveInfo, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	progress := term.StartProgress(command.ErrOrStderr(), "reading")
	defer progress.Stop()
	options.Progress = func(done, total int) { progress.Set("reading chunks", done, total) }
	options.Log = slog.New(slog.DiscardHandler)
	return node.Import(command.Context(), home, file, options)
}

// adviseOnImport adds the next step after a failed import.
func adviseOnImport(err error) error {
	switch {
	case errors.Is(err, node.ErrNoTrust):
		return usage.Advise(err, "--genesis with the genesis file of the chain, or --trust with a block and its hash")
	case errors.Is(err, comet.ErrOtherValidators):
		return usage.Advise(err, "--trust with the block that certifies the state and its hash, as export has printed them")
	case errors.Is(err, node.ErrNotEmpty):
		return usage.Advise(err, "--home with another directory")
	case errors.Is(err, comet.ErrSigned):
		return usage.Advise(err, "a later snapshot; or --sign-again if the blocks after this one are lost")
	default:
		return err
	}
}
