package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// errNoNode is what the node command answers until there is a node to start.
var errNoNode = errors.New("this build has the protocol core (messages, custody, ledger, state tree, proofs) but no node yet")

func newNodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "node",
		Short: "Start a node of the chain",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return errNoNode },
	}
}
