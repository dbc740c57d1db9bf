package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/internal/node"
	"makechain/internal/snapshot"
	"makechain/internal/term"
)

func newSnapshotCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "snapshot",
		Short: "List, export and import copies of the state",
		Long: `List, export and import copies of the state.

A node copies its state every so many blocks (--snapshot-every). A copy can be taken to another machine in one
file, from which a node begins without executing the blocks before.`,
		Example: "  makechain snapshot list\n  makechain snapshot export chain.snapshot\n" +
			"  makechain snapshot import chain.snapshot --home elsewhere --genesis genesis.json",
	}
	command.AddCommand(newSnapshotListCommand(), newSnapshotExportCommand(), newSnapshotImportCommand())
	return command
}

// snapshotFlags are what all commands about snapshots have in common.
type snapshotFlags struct {
	home string
	json bool
	full bool
}

func (s *snapshotFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&s.home, "home", node.DefaultHome, "directory of keys, configuration and data")
	flags.BoolVar(&s.json, "json", false, "print JSON")
	flags.BoolVar(&s.full, "full", false, "print ids and times in full")
}

// print prints a value as JSON with --json, else as human does.
func (s *snapshotFlags) print(command *cobra.Command, value any, human func(*term.Printer)) error {
	out := command.OutOrStdout()
	if s.json {
		return json.NewEncoder(out).Encode(value)
	}
	p := term.New(out, term.Options{Full: s.full, Colour: term.Colourful(out), Now: time.Now()})
	human(p)
	return p.Err()
}

// snapshotEntry is a snapshot in a list. Numbers of 64 bits are strings, as REST has them.
type snapshotEntry struct {
	Height    string `json:"height"`
	Taken     string `json:"taken"` // Unix seconds
	Rows      string `json:"rows"`
	SizeBytes string `json:"size_bytes"`
	Chunks    int    `json:"chunks"`
	Hash      string `json:"hash"`
	Root      string `json:"root"`
}

func newSnapshotListCommand() *cobra.Command {
	var s snapshotFlags
	command := &cobra.Command{
		Use:     "list",
		Short:   "List the copies of the state in a home",
		Long:    "List the copies of the state in a home, the newest first. A node may run there.",
		Example: "  makechain snapshot list --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			list, err := node.Snapshots(s.home)
			if err != nil {
				return err
			}
			entries := []snapshotEntry{}
			for _, copied := range list {
				entries = append(entries, entryOf(copied))
			}
			return s.print(command, entries, func(p *term.Printer) {
				table := p.Table("height", "taken", "rows", "size", "hash")
				for i, copied := range list {
					hash := copied.Hash()
					table.Row(entries[i].Height, p.Time(uint64(copied.TakenAt.Unix())), entries[i].Rows, bytesOf(copied.Size), p.ID(hash[:]))
				}
				table.Print("no snapshots: makechain node takes one every --snapshot-every blocks")
			})
		},
	}
	s.register(command.Flags())
	return command
}

func entryOf(copied snapshot.Snapshot) snapshotEntry {
	hash := copied.Hash()
	return snapshotEntry{
		Height:    decimal(copied.Height),
		Taken:     strconv.FormatInt(copied.TakenAt.Unix(), 10),
		Rows:      decimal(copied.Rows),
		SizeBytes: decimal(copied.Size),
		Chunks:    len(copied.Chunks),
		Hash:      hex.EncodeToString(hash[:]),
		Root:      hex.EncodeToString(copied.Root[:]),
	}
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// carriedEntry is what a file holds, as JSON.
type carriedEntry struct {
	ChainID string `json:"chain_id"`
	Height  string `json:"height"`
	Rows    string `json:"rows"`
	Root    string `json:"root"`
	Hash    string `json:"hash"`
	Trust   string `json:"trust"` // block and hash, as --trust wants them
}

// printCarried prints what a file holds, and facts about what was done with it.
func (s *snapshotFlags) printCarried(command *cobra.Command, carried *node.ArchiveInfo, facts ...term.Fact) error {
	hash := carried.Manifest.Hash()
	entry := carriedEntry{
		ChainID: carried.ChainID,
		Height:  decimal(carried.Manifest.Height),
		Rows:    decimal(carried.Manifest.Rows),
		Root:    hex.EncodeToString(carried.Manifest.Root[:]),
		Hash:    hex.EncodeToString(hash[:]),
		Trust:   fmt.Sprintf("%d:%x", carried.CertifyingBlock, carried.Hash[:]),
	}
	return s.print(command, entry, func(p *term.Printer) {
		p.Facts(append([]term.Fact{
			{Label: "chain", Value: carried.ChainID},
			{Label: "height", Value: entry.Height},
			{Label: "rows", Value: entry.Rows},
			{Label: "root", Value: p.ID(carried.Manifest.Root[:])},
			{Label: "trust", Value: entry.Trust},
		}, facts...)...)
	})
}
