package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/proof/finality"
)

// anchorFlags name a block that is trusted, from which the validators of any other can be found.
type anchorFlags struct {
	block  string // number:hash
	node   string // who has the light blocks on the way; it need not be trusted
	period time.Duration
}

func (a *anchorFlags) register(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&a.block, "trust", "", "block to trust, as number:hash; validators are followed from there")
	flags.StringVar(&a.node, "node", "", "with --trust, a node to ask for the headers on the way: host:port")
	flags.DurationVar(&a.period, "trust-period", finality.DefaultTrustingPeriod, "with --trust, how old a header may be from which others are followed")
}

// follow gives the validators who certify the root after the block of a proof. A proof holds one light block, so
// without a node only that one can be trusted.
func (a *anchorFlags) follow(command *cobra.Command, file *proofFile) (trust, error) {
	trusted, err := parseTrusted(a.block)
	if err != nil {
		return trust{}, misused(command, "--trust: %w", err)
	}
	anchor := finality.TrustedBlock{ChainID: file.ChainID, Number: trusted.Number, Hash: trusted.Hash}
	var source finality.Provider = inFile{file}
	switch {
	case trusted.Number == file.BlockNumber+1:
	case a.node == "":
		err := fmt.Errorf("the file has the header of block %d alone, trusted is block %d", file.BlockNumber+1, trusted.Number)
		return trust{}, advise(err, "--node host:port of any node of the chain, which has the headers in between")
	default:
		c, err := client.New(a.node)
		if err != nil {
			return trust{}, misused(command, "--node: %w", err)
		}
		defer c.Close()
		source = c
	}
	follower, err := finality.NewLightClient(command.Context(), anchor, source, finality.Options{Now: time.Now, TrustingPeriod: a.period})
	if err != nil {
		return trust{}, err
	}
	return follower.Trust(command.Context(), file.BlockNumber)
}

// inFile is a source of the one light block that a proof holds.
type inFile struct{ *proofFile }

func (f inFile) LightBlock(_ context.Context, number uint64) ([]byte, error) {
	if number != f.BlockNumber+1 {
		return nil, finality.ErrNotFound
	}
	return f.proofFile.LightBlock, nil
}

// given are the flags that have a value.
func given(values ...string) []string {
	return slices.DeleteFunc(values, func(value string) bool { return value == "" })
}
