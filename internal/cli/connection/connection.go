// Package connection connects commands to a node: the flags that name it, the validators that are trusted, and the
// completion of names that the node knows.
package connection

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/client"
	"makechain/internal/cli/usage"
	"makechain/internal/identity"
)

const configDirFlag = "config-dir"

// ConfigDir is the directory of the user's wallets, accounts and known chains.
type ConfigDir struct {
	Given string // --config-dir; empty for the default
}

// Register adds --config-dir.
func (d *ConfigDir) Register(flags *pflag.FlagSet) {
	flags.StringVar(&d.Given, configDirFlag, "", "directory of wallets, accounts and known chains (default in the user configuration directory)")
}

// Path returns the directory, which may not exist yet.
func (d *ConfigDir) Path() (string, error) {
	if d.Given != "" {
		return d.Given, nil
	}
	base, err := os.UserConfigDir()
	if err != nil {
		return "", usage.Advise(fmt.Errorf("no configuration directory: %w", err), "--config-dir <directory>")
	}
	return filepath.Join(base, "makechain"), nil
}

// Store opens the user's wallets and accounts.
func (d *ConfigDir) Store() (*identity.Store, error) {
	dir, err := d.Path()
	if err != nil {
		return nil, err
	}
	return identity.Open(dir), nil
}

// Flags are the flags of a command that talks to a node.
type Flags struct {
	ConfigDir

	Node    string
	Genesis string
}

// Register adds the flags to a command.
func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&f.Node, "node", client.DefaultTarget, "address of the node: host:port, or https://host")
	flags.StringVar(&f.Genesis, "genesis", "", "genesis file whose validators are trusted (default those of the first connection)")
	f.ConfigDir.Register(flags)
}

// Dial returns a client of the node. It connects when it is first used.
func (f *Flags) Dial(command *cobra.Command) (*client.Client, error) {
	c, err := client.New(f.Node, client.WithTrustSource(func(ctx context.Context, c *client.Client) (Trust, error) {
		return f.trust(ctx, command.ErrOrStderr(), c)
	}), client.WithTrustUpdates(f.keepTrust))
	if err != nil {
		return nil, usage.Errorf(command, "--node: %w", err)
	}
	return c, nil
}
