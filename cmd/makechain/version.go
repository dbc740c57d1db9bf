package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// protocolVersion is the version that block headers carry (P11.1).
const protocolVersion = 6

// unknown stands for what the Go tool did not record in the program.
const unknown = "unknown"

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program and of the protocol",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			return printVersion(command.OutOrStdout(), info)
		},
	}
}

// printVersion writes one line per fact. A nil info is a program built without modules.
func printVersion(out io.Writer, info *debug.BuildInfo) error {
	program, toolchain := unknown, unknown
	if info != nil {
		program, toolchain = info.Main.Version, info.GoVersion
	}
	_, err := fmt.Fprintf(out, "makechain %s\nprotocol  %d\ncommit    %s\ngo        %s\n",
		program, protocolVersion, commit(info), toolchain)
	return err
}

// commit names the source the program was built from, and says when the source had been changed since.
func commit(info *debug.BuildInfo) string {
	settings := map[string]string{}
	if info != nil {
		for _, setting := range info.Settings {
			settings[setting.Key] = setting.Value
		}
	}
	revision := settings["vcs.revision"]
	switch {
	case revision == "":
		return unknown
	case settings["vcs.modified"] == "true":
		return revision + " (modified)"
	default:
		return revision
	}
}
