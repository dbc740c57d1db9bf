// Package agent has the commands about the agent, which keeps keys unlocked.
package agent

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"makechain/internal/agent"
	"makechain/internal/backoff"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/signing"
	"makechain/internal/cli/usage"
	"makechain/internal/identity"
	"makechain/internal/term"
)

const (
	// startTimeout is the time that an agent in the background has to create its socket, and startInterval the time between
	// two attempts to reach it.
	startTimeout  = time.Minute
	startInterval = 10 * time.Millisecond
)

// New returns the command agent.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "agent",
		Short: "Keep keys unlocked, so that commands do not ask for passphrases",
		Long: `An agent is a process that holds the decrypted keys of accounts in memory and signs for the
other commands, like ssh-agent. It signs only messages and statements for content services,
never gives away a key, and ends after an hour without a signature. Wallets are never in the
agent: changes of keys always ask for the passphrase of the wallet.

Its socket is agent/socket in the configuration directory, or that of MAKECHAIN_AGENT_SOCKET.`,
		Example: "  makechain agent start alice\n  makechain agent status\n  makechain agent stop",
	}
	command.AddCommand(newStartCommand(), newAddCommand(), newStatusCommand(), newStopCommand())
	return command
}

// flags are the flags of a command that adds keys.
type flags struct {
	connection.ConfigDir
	signing.Passphrases
}

func (f *flags) register(command *cobra.Command) {
	f.ConfigDir.Register(command.Flags())
	f.Passphrases.Register(command.Flags())
}

// unlocked is a decrypted key of an account.
type unlocked struct {
	name   string
	secret [32]byte
}

// unlock decrypts the keys of accounts; without names, that of the default account.
func (f *flags) unlock(command *cobra.Command, names []string) ([]unlocked, error) {
	if len(names) == 0 {
		names = []string{""}
	}
	var keys []unlocked
	for _, name := range names {
		account, err := signing.Account(&f.ConfigDir, name)
		if err != nil {
			return nil, err
		}
		key, err := f.Unlock(command, "account "+account.Name, account.Key)
		if err != nil {
			return nil, err
		}
		keys = append(keys, unlocked{account.Name, key.Secret()})
	}
	return keys, nil
}

// add gives keys to an agent.
func add(command *cobra.Command, c agent.Client, keys []unlocked) error {
	for _, key := range keys {
		if err := c.Add(key.name, key.secret); err != nil {
			return advise(err)
		}
		if _, err := fmt.Fprintf(command.OutOrStdout(), "added account %s\n", term.Text(key.name)); err != nil {
			return err
		}
	}
	return nil
}

// advise adds how to start an agent to the error that there is none.
func advise(err error) error {
	if errors.Is(err, agent.ErrNotRunning) {
		return usage.Advise(err, "makechain agent start")
	}
	return err
}

func newStartCommand() *cobra.Command {
	var f flags
	var timeout time.Duration
	var foreground bool
	command := &cobra.Command{
		Use:   "start [<account>...]",
		Short: "Start an agent and add the keys of accounts to it",
		Long: `The agent runs in the background until makechain agent stop, or until it has signed nothing
for the time of --timeout. Without accounts it holds the key of the default account.`,
		Example:           "  makechain agent start\n  makechain agent start alice bob --timeout 8h",
		ValidArgsFunction: connection.CompleteLocal((*identity.Store).AccountNames),
		RunE: func(command *cobra.Command, args []string) error {
			if timeout < time.Second {
				return usage.Errorf(command, "--timeout: %v is less than a second", timeout)
			}
			c, err := signing.Agent(&f.ConfigDir)
			if err != nil {
				return err
			}
			if foreground {
				return serve(command, c.Socket, timeout)
			}
			keys, err := f.unlock(command, args)
			if err != nil {
				return err
			}
			if err := background(command, c, timeout); err != nil {
				return err
			}
			return add(command, c, keys)
		},
	}
	f.register(command)
	command.Flags().DurationVar(&timeout, "timeout", agent.DefaultTimeout, "end after this time without a signature")
	command.Flags().BoolVar(&foreground, "foreground", false, "stay in the foreground, without keys; for service managers")
	return command
}

// serve runs an agent in this process.
func serve(command *cobra.Command, socket string, timeout time.Duration) error {
	if err := agent.Protect(); err != nil {
		return fmt.Errorf("protect the memory of the agent: %w", err)
	}
	server, err := agent.Listen(socket, timeout)
	if err != nil {
		return err
	}
	return server.Serve(command.Context())
}

// background starts an agent as a process of its own, unless one is running, and waits until it answers.
func background(command *cobra.Command, c agent.Client, timeout time.Duration) error {
	out := command.OutOrStdout()
	status, err := c.Status()
	if err == nil {
		_, err = fmt.Fprintf(out, "an agent is already running, process %d\n", status.PID)
		return err
	}
	if !errors.Is(err, agent.ErrNotRunning) {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	arguments := []string{"agent", "start", "--foreground", "--timeout", timeout.String()}
	process := exec.Command(program, arguments...) //nolint:gosec,noctx // it is this program, and outlives this command
	process.Env = append(slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, signing.PassphraseVariable+"=")
	}), signing.SocketVariable+"="+c.Socket)
	process.SysProcAttr = agent.Detach()
	if err := process.Start(); err != nil {
		return fmt.Errorf("start the agent: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		if status, err := c.Status(); err == nil {
			_, err = fmt.Fprintf(out, "agent started, process %d\n", status.PID)
			return err
		}
		select {
		case err := <-ended:
			return usage.Advise(fmt.Errorf("the agent has ended: %w", err), "makechain agent start --foreground, which shows why")
		default:
		}
		if err := backoff.Sleep(command.Context(), startInterval); err != nil {
			return err
		}
	}
	return errors.New("the agent does not answer")
}

func newAddCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:               "add [<account>...]",
		Short:             "Add the keys of accounts to the agent",
		Example:           "  makechain agent add bob",
		ValidArgsFunction: connection.CompleteLocal((*identity.Store).AccountNames),
		RunE: func(command *cobra.Command, args []string) error {
			c, err := signing.Agent(&f.ConfigDir)
			if err != nil {
				return err
			}
			if _, err := c.Status(); err != nil { // before a prompt
				return advise(err)
			}
			keys, err := f.unlock(command, args)
			if err != nil {
				return err
			}
			return add(command, c, keys)
		},
	}
	f.register(command)
	return command
}

func newStatusCommand() *cobra.Command {
	var dir connection.ConfigDir
	var form output.Flags
	command := &cobra.Command{
		Use:     "status",
		Short:   "Show the agent and its keys",
		Example: "  makechain agent status --json",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			c, err := signing.Agent(&dir)
			if err != nil {
				return err
			}
			status, err := c.Status()
			if err != nil {
				return advise(err)
			}
			return form.PrintValue(command, status, func(p *term.Printer) {
				p.Line("process %d, ends after %v without a signature", status.PID, time.Duration(status.TimeoutSeconds)*time.Second)
				table := p.Table("ACCOUNT", "KEY")
				for _, key := range status.Keys {
					table.Row(term.Text(key.Name), key.Key)
				}
				table.Print("no keys")
			})
		},
	}
	dir.Register(command.Flags())
	form.RegisterJSON(command.Flags())
	return command
}

func newStopCommand() *cobra.Command {
	var dir connection.ConfigDir
	command := &cobra.Command{
		Use:     "stop",
		Short:   "Stop the agent, which forgets its keys",
		Example: "  makechain agent stop",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			c, err := signing.Agent(&dir)
			if err != nil {
				return err
			}
			if err := c.Stop(); err != nil {
				return advise(err)
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), "agent stopped")
			return err
		},
	}
	dir.Register(command.Flags())
	return command
}
