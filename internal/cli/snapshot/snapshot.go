// Package snapshot has the commands about snapshots of the state.
package snapshot

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"makechain/internal/cli/output"
	"makechain/internal/cli/settings"
	"makechain/internal/node"
	"makechain/internal/snapshot"
	"makechain/internal/term"
)

// New returns the command snapshot.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "snapshot",
		Short: "List, export and import snapshots of the state",
		Long: `List, export and import snapshots of the state.

A node takes a snapshot every --snapshot-every blocks. A snapshot can be exported to a file, from which a node on another
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
		Long:    "List the snapshots of a home, the newest first. A node may be running in it.",
		Example: "  makechain snapshot list --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			list, err := node.Snapshots(f.home)
			if err != nil {
				return err
			}
			entries := []entry{}
			for _, s := range list {
				entries = append(entries, newEntry(s))
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

func newEntry(s snapshot.Snapshot) entry {
	hash := s.Hash()
	return entry{
		Height:    output.Number(s.Height),
		Taken:     strconv.FormatInt(s.TakenAt.Unix(), 10),
		Rows:      output.Number(s.Rows),
		SizeBytes: output.Number(s.Size),
		Chunks:    len(s.Chunks),
		Hash:      hex.EncodeToString(hash[:]),
		Root:      hex.EncodeToString(s.Root[:]),
	}
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
