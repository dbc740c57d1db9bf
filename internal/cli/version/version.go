// Package version has the command that prints the version.
package version

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"makechain/internal/cli/settings"
)

// protocolVersion is the version that block headers carry (P11.1).
const protocolVersion = 6

// New returns the command version.
func New() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program and of the protocol",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := io.WriteString(command.OutOrStdout(), Text())
			return err
		},
	}
}

// Text returns the versions of the program and the protocol, the commit and the Go version, one per line.
func Text() string {
	info, _ := debug.ReadBuildInfo()
	return text(info)
}

// text formats the version. A nil info is a program that was built without modules.
func text(info *debug.BuildInfo) string {
	program, toolchain := settings.UnknownVersion, settings.UnknownVersion
	if info != nil {
		program, toolchain = info.Main.Version, info.GoVersion
	}
	return fmt.Sprintf("makechain %s\nprotocol  %d\ncommit    %s\ngo        %s\n",
		program, protocolVersion, commit(info), toolchain)
}

// commit returns the commit that the program was built from, marked if the source was modified.
func commit(info *debug.BuildInfo) string {
	build := map[string]string{}
	if info != nil {
		for _, setting := range info.Settings {
			build[setting.Key] = setting.Value
		}
	}
	revision := build["vcs.revision"]
	switch {
	case revision == "":
		return settings.UnknownVersion
	case build["vcs.modified"] == "true":
		return revision + " (modified)"
	default:
		return revision
	}
}
