// Package testnet has the commands that create and run a network of several nodes.
package testnet

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"makechain/internal/cli/usage"
	"makechain/internal/term"
	"makechain/internal/testnet"
)

// New returns the command testnet.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "testnet",
		Short: "Create and run a network of several nodes",
		Example: "  makechain testnet init --validators 4 --followers 2 --out net\n" +
			"  makechain testnet start net",
	}
	command.AddCommand(newInitCommand(), newStartCommand())
	return command
}

func newInitCommand() *cobra.Command {
	options := testnet.Options{}
	var paid paidStorage
	command := &cobra.Command{
		Use:   "init",
		Short: "Create the homes of a network",
		Long: `The homes have private keys, one genesis, and a config.toml with the ports and peers of
each node. It is a development chain, and every node has a faucet. With --no-faucet storage
is paid for on a settlement chain instead, and --attesters sign the payments.

Without --hosts all nodes run on this machine, each with ten ports from --base-port on.
With --hosts each home is for another machine, and must be copied there.`,
		Example: "  makechain testnet init --validators 4 --followers 2 --out net\n" +
			"  makechain testnet init --hosts a.example,b.example,c.example,d.example --out net\n" +
			"  makechain testnet init --no-faucet --network testnet --settlement-chain-id 42431 --contract 0x5fbd... \\\n" +
			"    --attesters 3b6a27...=https://a.example,8a88e3...=https://b.example --out net",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if hosts := len(options.Hosts); hosts > 0 && !command.Flags().Changed("validators") {
				options.Validators = hosts - options.Followers
			}
			if err := paid.apply(command, &options); err != nil {
				return err
			}
			network, err := testnet.Init(options)
			if err != nil {
				return fmt.Errorf("testnet init: %w", err)
			}
			return describeNetwork(command, options.Dir, network)
		},
	}
	flags := command.Flags()
	flags.IntVar(&options.Validators, "validators", DefaultValidators, "number of validators")
	flags.IntVar(&options.Followers, "followers", 0, "number of nodes that are not validators")
	flags.StringVar(&options.Dir, "out", "testnet", "directory for the homes")
	flags.IntVar(&options.BasePort, "base-port", testnet.DefaultBasePort, "first port (0 for free ports)")
	flags.StringSliceVar(&options.Hosts, "hosts", nil, "host names of the nodes, validators first (default this machine)")
	flags.StringVar(&options.ChainID, "chain-id", "", "id of the chain (default generated)")
	flags.DurationVar(&options.BlockInterval, "block-interval", 0, "pause between blocks (default as for makechain node)")
	paid.register(flags)
	return command
}

// DefaultValidators is the smallest number of validators that tolerates the failure of one.
const DefaultValidators = 4

// describeNetwork prints the nodes of a network and the next step.
func describeNetwork(command *cobra.Command, dir string, network *testnet.Network) error {
	p := term.New(command.OutOrStdout(), term.Options{Colour: term.Colourful(command.OutOrStdout())})
	p.Line("chain %s in %s", network.ChainID, dir)
	table := p.Table("node", "role", "gRPC", "REST", "peers")
	for i := range network.Nodes {
		node := &network.Nodes[i]
		table.Row(node.Name, node.Role(), node.GRPC, node.REST, node.P2P)
	}
	table.Print("no nodes")
	if network.Local {
		p.Line("next: makechain testnet start %s", dir)
	} else {
		p.Line("next: copy each home to its machine, then there: makechain node --home node0")
	}
	return p.Err()
}

// appendInterval is the time between two full reports where lines cannot be replaced.
const appendInterval = 30 * time.Second

func newStartCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "start directory [-- flags of makechain node]",
		Short: "Run all nodes of a network on this machine",
		Long: `Each node runs in its own process until Ctrl-C. The command prints the status of each
node. The log of a node is in node.log in its home.`,
		Example: "  makechain testnet start net\n  makechain testnet start net -- --log-level debug",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			network, err := testnet.Read(args[0])
			if err != nil {
				return usage.Advise(err, "makechain testnet init --out %s", args[0])
			}
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			out := command.OutOrStdout()
			board := &statusBoard{out: out, replace: term.IsTerminal(out)}
			runner := &testnet.Runner{Network: network, Program: program, Flags: args[1:], Report: board.report}
			if _, err := fmt.Fprintf(out, "chain %s, Ctrl-C stops it\n", network.ChainID); err != nil {
				return err
			}
			return runner.Run(command.Context())
		},
	}
}

// statusBoard prints a line for each node. On a terminal it replaces the lines; elsewhere it appends the line of a node
// that has changed its phase, and all lines every appendInterval.
type statusBoard struct {
	out     io.Writer
	replace bool

	last     []testnet.State
	appended time.Time // when all lines were last printed
}

func (b *statusBoard) report(states []testnet.State) {
	var text strings.Builder
	if b.replace && len(b.last) > 0 {
		fmt.Fprintf(&text, "\x1b[%dA", len(b.last)) // moves the cursor to the first line
	}
	all := b.replace || time.Since(b.appended) >= appendInterval
	if all {
		b.appended = time.Now()
	}
	for i := range states {
		if !all && b.last[i].Phase == states[i].Phase {
			continue
		}
		if b.replace {
			text.WriteString("\x1b[2K") // the previous line may have been longer
		}
		s := &states[i]
		fmt.Fprintf(&text, "%-7s %-9s  block %-8d  %-8s  %6d pending  %s\n",
			s.Node.Name, s.Node.Role(), s.Block, term.Count(uint64(s.Peers), "peer"), s.Pending, phaseText(s))
	}
	b.last = states
	_, _ = io.WriteString(b.out, text.String()) // a closed output does not stop the nodes
}

// phaseText returns the phase of a node, and the path of its log when it has ended.
func phaseText(s *testnet.State) string {
	if s.Phase != testnet.Exited {
		return string(s.Phase)
	}
	how := "exited"
	if s.Err != nil {
		how += " with " + s.Err.Error()
	}
	return how + ": see " + s.Node.Home + "/" + testnet.LogFile
}
