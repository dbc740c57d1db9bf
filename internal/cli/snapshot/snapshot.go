// Package snapshot has the commands about snapshots of the state.
package snapshot

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/node"
	"makechain/internal/term"
	"makechain/proof/finality"
)

// New returns the command snapshot.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "snapshot",
		Short: "List, export and import snapshots of the state",
		Long: `A node takes a snapshot every --snapshot-every blocks. A snapshot can be exported to a file, from which a node on another
machine starts without executing the earlier blocks.`,
		Example: "  makechain snapshot list\n  makechain snapshot export chain.snapshot\n" +
			"  makechain snapshot import chain.snapshot --home elsewhere --genesis genesis.json",
	}
	command.AddCommand(newListCommand(), newExportCommand(), newImportCommand())
	return command
}

// flags are the flags of all commands about snapshots.
type flags struct {
	home string
	out  output.Flags
}

func (f *flags) register(command *cobra.Command) {
	command.Flags().StringVar(&f.home, settings.HomeFlag, node.DefaultHome, "directory of keys, configuration and data")
	f.out.Register(command.Flags())
	command.Flags().Lookup("json").Usage = "print JSON"
}

// entry is a snapshot in a list. Integers of 64 bits are strings, as in REST.
type entry struct {
	Height    string `json:"height"`
	Taken     string `json:"taken"` // Unix seconds
	Rows      string `json:"rows"`
	SizeBytes string `json:"size_bytes"`
	Chunks    int    `json:"chunks"`
	Hash      string `json:"hash"`
	Root      string `json:"root"`
}

func newListCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:     "list",
		Short:   "List the snapshots of a home",
		Long:    "The newest is the first. A node may be running in the home.",
		Example: "  makechain snapshot list --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			list, err := node.Snapshots(f.home)
			if err != nil {
				return err
			}
			entries := []entry{}
			for _, s := range list {
				hash := s.Hash()
				entries = append(entries, entry{
					Height: output.Number(s.Height), Taken: strconv.FormatInt(s.TakenAt.Unix(), 10), Rows: output.Number(s.Rows),
					SizeBytes: output.Number(s.Size), Chunks: len(s.Chunks), Hash: hex.EncodeToString(hash[:]), Root: hex.EncodeToString(s.Root[:]),
				})
			}
			return f.out.PrintValue(command, entries, func(p *term.Printer) {
				table := p.Table("height", "taken", "rows", "size", "hash")
				for i, s := range list {
					hash := s.Hash()
					table.Row(entries[i].Height, p.Time(uint64(s.TakenAt.Unix())), entries[i].Rows, term.Size(s.Size), p.ID(hash[:]))
				}
				table.Print("no snapshots: makechain node takes one every --snapshot-every blocks")
			})
		},
	}
	f.register(command)
	return command
}

// fileEntry is the content of a snapshot file in JSON.
type fileEntry struct {
	ChainID string `json:"chain_id"`
	Height  string `json:"height"`
	Rows    string `json:"rows"`
	Root    string `json:"root"`
	Hash    string `json:"hash"`
	Trust   string `json:"trust"` // block and hash, as --trust takes them
}

// printFile prints the content of a snapshot file, and further facts.
func (f *flags) printFile(command *cobra.Command, carried *node.ArchiveInfo, facts ...term.Fact) error {
	hash := carried.Manifest.Hash()
	content := fileEntry{
		ChainID: carried.ChainID,
		Height:  output.Number(carried.Manifest.Height),
		Rows:    output.Number(carried.Manifest.Rows),
		Root:    hex.EncodeToString(carried.Manifest.Root[:]),
		Hash:    hex.EncodeToString(hash[:]),
		Trust:   fmt.Sprintf("%d:%x", carried.CertifyingBlock, carried.Hash[:]),
	}
	return f.out.PrintValue(command, content, func(p *term.Printer) {
		p.Facts(append([]term.Fact{
			{Label: "chain", Value: content.ChainID},
			{Label: "height", Value: content.Height},
			{Label: "rows", Value: content.Rows},
			{Label: "root", Value: p.ID(carried.Manifest.Root[:])},
			{Label: "trust", Value: content.Trust},
		}, facts...)...)
	})
}

func newExportCommand() *cobra.Command {
	var f flags
	var options node.ExportOptions
	var target string
	command := &cobra.Command{
		Use:   "export <file>",
		Short: "Export a snapshot to a file",
		Long: `The file includes the data that verifies the snapshot: the genesis, and headers that the validators signed. If a
node is running in the home, the headers are read from it, so --node must be its address.`,
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
	flags.StringVar(&target, "node", client.DefaultTarget, "address of the node that runs in the home, if any: host:port")
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
		Long: `The file is one of makechain snapshot export. Everything in it is verified: chunks against their hashes, rows
against the root, and the root against the signatures of the validators. They must be those of the genesis (--genesis,
or that of the home), or --trust must give the hash of the block that certifies the root, which export prints and
makechain block get shows on any node. After the import, makechain node in the home continues from there.

The home must not have a chain; it may have the keys of a node. The only validator of a chain does not sign heights that
it has signed before, so the chain would halt: --sign-again allows it when the blocks after the snapshot are lost.`,
		Example: "  makechain snapshot import chain.snapshot --home elsewhere --genesis genesis.json\n" +
			"  makechain snapshot import chain.snapshot --home elsewhere --trust 12001:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		Args: usage.Args("a file to read"),
		RunE: func(command *cobra.Command, args []string) (err error) {
			if trusted != "" {
				number, hash, err := connection.ParseTrustedBlock(trusted)
				if err != nil {
					return usage.Errorf(command, "--trust: %w", err)
				}
				options.Trust = &node.TrustedBlock{Number: number, Hash: hash}
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
