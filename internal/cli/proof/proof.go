// Package proof has the commands that read proofs from a node and verify them.
package proof

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"makechain/internal/cli/connection"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/term"
)

// New returns the command proof.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "proof",
		Short: "Get and verify proofs",
		Long: `A proof is a file which proves that the state did or did not contain a row after a block, up to
the signatures of the chain's validators. With the file and the validators it can be verified
without a node, and without trusting the node that it came from.`,
		Example: "  makechain proof get project alice/hello --out hello.proof\n" +
			"  makechain proof verify hello.proof --genesis makechain-data/config/genesis.json",
	}
	command.AddCommand(newGetCommand(), newVerifyCommand(), newValidatorsCommand())
	return command
}

func newGetCommand() *cobra.Command {
	var flags query.Flags
	var key, out string
	command := &cobra.Command{
		Use:   "get <kind> <name>... | get --key <hex>",
		Short: "Get a proof that a row exists, or does not exist",
		Long: "The kinds are\n\n" + describeKinds() + `
A name that is not taken gives a proof of non-existence.`,
		Example: "  makechain proof get project alice/hello --out hello.proof\n" +
			"  makechain proof get ref alice/hello@main > main.proof\n" +
			"  makechain proof get account unused --out unused.proof",
		ValidArgs: kindNames(),
		Args: func(command *cobra.Command, args []string) error {
			if key != "" && len(args) > 0 {
				return usage.Errorf(command, "--key cannot be combined with %q", args[0])
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			return flags.Run(command, func(q *query.Query) error {
				wanted, err := resolveKey(q, key, args)
				if err != nil {
					return err
				}
				evidence, err := q.Client.ProveRow(q.Context(), wanted)
				if err != nil {
					return err
				}
				trust, err := q.Client.Trust(q.Context())
				if err != nil {
					return err
				}
				return write(q, out, newFile(trust.ChainID, evidence))
			})
		},
	}
	flags.Register(command)
	command.Flags().StringVar(&key, "key", "", "the key of the row in hex, instead of a kind and a name")
	command.Flags().StringVar(&out, "out", "", "file to write (default standard output)")
	return command
}

// write writes a proof to a file and prints what it proves, or writes it to standard output.
func write(q *query.Query, path string, f *file) error {
	encoded, err := f.encode()
	if err != nil {
		return err
	}
	if path == "" {
		_, err := q.Command.OutOrStdout().Write(encoded)
		return err
	}
	if err := os.WriteFile(path, encoded, publicMode); err != nil {
		return err
	}
	if q.JSON() {
		return nil
	}
	p := q.Printer()
	p.Line("%s: %s", path, f.claim(p.Printer))
	next := fmt.Sprintf("after block %d of %s; verify it with makechain proof verify %s", f.BlockNumber, term.Text(f.ChainID), path)
	p.Line("%s", p.Style(term.Dim, next))
	return p.Err()
}

// publicMode is the mode of files that others may read.
const publicMode = 0o644

func newValidatorsCommand() *cobra.Command {
	var flags query.Flags
	command := &cobra.Command{
		Use:   "validators",
		Short: "Print the trusted validators, for --validators on another machine",
		Long: `The trusted validators are those of --genesis if it is given, else those of the first connection
to the node.`,
		Example: "  makechain proof validators > validators.json\n  makechain proof validators --genesis genesis.json",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return flags.Run(command, func(q *query.Query) error {
				trust, err := q.Client.Trust(q.Context())
				if err != nil {
					return err
				}
				return json.NewEncoder(command.OutOrStdout()).Encode(connection.Chain{
					ChainID: trust.ChainID, ValidatorsHash: hex.EncodeToString(trust.ValidatorsHash),
				})
			})
		},
	}
	flags.Register(command)
	return command
}
