package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/client"
	"makechain/internal/identity"
	"makechain/internal/node"
)

// defaultPatience is how long a command waits for a block.
const defaultPatience = 30 * time.Second

// local says where the files of the person at the keyboard lie: keys, accounts, known chains.
type local struct {
	configDir string
}

func (l *local) register(flags *pflag.FlagSet) {
	flags.StringVar(&l.configDir, "config-dir", "", "directory of wallets, accounts and known chains (default in your configuration directory)")
}

// dir is the directory. It need not exist.
func (l *local) dir() (string, error) {
	if l.configDir != "" {
		return l.configDir, nil
	}
	base, err := os.UserConfigDir()
	if err != nil {
		return "", advise(fmt.Errorf("no place for configuration: %w", err), "--config-dir")
	}
	return filepath.Join(base, "makechain"), nil
}

// remote is what commands that talk to a node have in common.
type remote struct {
	local
	passphrases

	target  string
	genesis string
	json    bool
	full    bool

	// For commands that write.
	account string
	wait    bool
	timeout time.Duration
}

// register adds the flags of commands that read.
func (r *remote) register(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&r.target, "node", node.DefaultGRPC, "the node to ask: host:port, or https://host")
	flags.StringVar(&r.genesis, "genesis", "", "genesis file whose validators to trust (default those met first)")
	flags.BoolVar(&r.json, "json", false, "print JSON, as the REST gateway does")
	flags.BoolVar(&r.full, "full", false, "print ids and times in full")
	r.local.register(flags)
}

// registerWriter adds the flags of commands that write.
func (r *remote) registerWriter(command *cobra.Command) {
	r.register(command)
	flags := command.Flags()
	flags.StringVar(&r.account, "account", "", "your account to act for, by its local name (default the only or chosen one)")
	r.registerPatience(flags)
	r.passphrases.register(flags)
	completeFlag(command, "account", (*identity.Store).AccountNames)
}

// registerPatience adds the flags of commands that submit.
func (r *remote) registerPatience(flags *pflag.FlagSet) {
	flags.BoolVar(&r.wait, "wait", true, "wait for the block that holds the message")
	flags.DurationVar(&r.timeout, "timeout", defaultPatience, "how long to wait for it")
}

// dial makes a client of the node. It connects when it is first used.
func (r *remote) dial(command *cobra.Command) (*client.Client, error) {
	c, err := client.New(r.target, client.WithTrustSource(func(ctx context.Context, c *client.Client) (trust, error) {
		return r.trust(ctx, command.ErrOrStderr(), c)
	}), client.WithTrustUpdates(r.keepTrust))
	if err != nil {
		return nil, misused(command, "--node: %w", err)
	}
	return c, nil
}

// reading runs what a command reads with a client.
func (r *remote) reading(command *cobra.Command, read func(context.Context, *client.Client) error) error {
	c, err := r.dial(command)
	if err != nil {
		return err
	}
	defer c.Close()
	return read(command.Context(), c)
}
