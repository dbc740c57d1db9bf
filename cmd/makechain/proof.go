package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/internal/term"
)

func newProofCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "proof",
		Short: "Take proofs out of the chain, and check them anywhere",
		Long: `Take proofs out of the chain, and check them anywhere.

A proof is a file that says what the state had, or had not, after a block, and shows it up to
the signatures of the chain's validators. Whoever has the file and knows the validators can
check it without a node and without trust in whoever made it.`,
		Example: "  makechain proof get project alice/hello --out hello.proof\n" +
			"  makechain proof verify hello.proof --genesis makechain-data/config/genesis.json",
	}
	command.AddCommand(newProofGetCommand(), newProofVerifyCommand(), newProofValidatorsCommand())
	return command
}

func newProofGetCommand() *cobra.Command {
	var r remote
	var key, out string
	command := &cobra.Command{
		Use:   "get <kind> <name>... | get --key <hex>",
		Short: "Write the proof of a row, or of its absence",
		Long: `Write the proof of a row, or of its absence. The kinds are

` + describeKinds() + `
A name that nobody has gives the proof that nobody has it.`,
		Example: "  makechain proof get project alice/hello --out hello.proof\n" +
			"  makechain proof get ref alice/hello@main > main.proof\n" +
			"  makechain proof get account nobody --out nobody.proof",
		ValidArgs: kindNames(),
		Args: func(command *cobra.Command, args []string) error {
			if key != "" && len(args) > 0 {
				return misused(command, "--key stands alone, without %q", args[0])
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				wanted, err := proofKey(ctx, command, c, key, args)
				if err != nil {
					return err
				}
				evidence, err := c.ProveRow(ctx, wanted)
				if err != nil {
					return err
				}
				known, err := c.Trust(ctx)
				if err != nil {
					return err
				}
				return r.writeProof(command, out, newProofFile(known.ChainID, evidence))
			})
		},
	}
	r.register(command)
	command.Flags().StringVar(&key, "key", "", "the key of the row in hex, instead of a kind and a name")
	command.Flags().StringVar(&out, "out", "", "file to write (default standard output)")
	return command
}

// writeProof writes a proof to a file and says what it proves, or to standard output as it is.
func (r *remote) writeProof(command *cobra.Command, path string, file *proofFile) error {
	encoded, err := file.encode()
	if err != nil {
		return err
	}
	if path == "" {
		_, err := command.OutOrStdout().Write(encoded)
		return err
	}
	if err := os.WriteFile(path, encoded, publicFile); err != nil {
		return err
	}
	if r.json {
		return nil
	}
	p := r.printer(command)
	p.Line("%s: %s", path, file.claim(p))
	next := fmt.Sprintf("after block %d of %s; check it with makechain proof verify %s", file.BlockNumber, term.Text(file.ChainID), path)
	p.Line("%s", p.Style(term.Dim, next))
	return p.Err()
}

// publicFile is the mode of a file that is made to be passed on.
const publicFile = 0o644

func newProofValidatorsCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:   "validators",
		Short: "Print the validators that this machine trusts, for --validators elsewhere",
		Long: `Print the chain and the validators that this machine trusts, for --validators elsewhere:
those of --genesis if it is given, else those that were met first at the node.`,
		Example: "  makechain proof validators > validators.json\n  makechain proof validators --genesis genesis.json",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				known, err := c.Trust(ctx)
				if err != nil {
					return err
				}
				return writeValidators(command.OutOrStdout(), known)
			})
		},
	}
	r.register(command)
	return command
}
