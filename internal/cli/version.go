package cli

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"makechain/internal/cli/settings"
)

// protocolVersion is the version that block headers carry (P11.1).
const protocolVersion = 6

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program and of the protocol",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := io.WriteString(command.OutOrStdout(), command.Root().Version)
			return err
		},
	}
}

// versionText returns the versions of the program and the protocol, the commit, marked if the source was modified, and
// the Go version, one per line. A nil info is a program that was built without modules.
func versionText(info *debug.BuildInfo) string {
	program, toolchain, commit := settings.UnknownVersion, settings.UnknownVersion, settings.UnknownVersion
	build := map[string]string{}
	if info != nil {
		program, toolchain = info.Main.Version, info.GoVersion
		for _, setting := range info.Settings {
			build[setting.Key] = setting.Value
		}
	}
	if revision := build["vcs.revision"]; revision != "" {
		commit = revision
		if build["vcs.modified"] == "true" {
			commit += " (modified)"
		}
	}
	return fmt.Sprintf("makechain %s\nprotocol  %d\ncommit    %s\ngo        %s\n", program, protocolVersion, commit, toolchain)
}
