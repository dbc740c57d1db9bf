package proof

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/proof/finality"
)

// anchorFlags name a trusted block, from which a light client follows changes of the validators.
type anchorFlags struct {
	block  string // number:hash
	node   string // has the light blocks in between; it need not be trusted
	period time.Duration
}

func (a *anchorFlags) register(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&a.block, "trust", "", "trusted block, as number:hash, from which changes of the validators are followed")
	flags.StringVar(&a.node, "node", "", "with --trust, a node that serves headers: host:port")
	flags.DurationVar(&a.period, "trust-period", finality.DefaultTrustingPeriod,
		"with --trust, the trusting period: the maximum age of a trusted header")
}

// follow returns the validators that certify the root after the block of a proof. A proof has one light block, so without
// a node the trusted block must be that one.
func (a *anchorFlags) follow(command *cobra.Command, f *file) (connection.Trust, error) {
	trusted, err := settings.ParseTrusted(a.block)
	if err != nil {
		return connection.Trust{}, usage.Errorf(command, "--trust: %w", err)
	}
	anchor := finality.TrustedBlock{ChainID: f.ChainID, Number: trusted.Number, Hash: trusted.Hash}
	var source finality.Provider = inFile{f}
	switch {
	case trusted.Number == f.BlockNumber+1:
	case a.node == "":
		err := fmt.Errorf("the file has the header of block %d only, and block %d is trusted", f.BlockNumber+1, trusted.Number)
		return connection.Trust{}, usage.Advise(err, "--node host:port of any node of the chain, for the headers in between")
	default:
		c, err := client.New(a.node)
		if err != nil {
			return connection.Trust{}, usage.Errorf(command, "--node: %w", err)
		}
		defer c.Close()
		source = c
	}
	follower, err := finality.NewLightClient(command.Context(), anchor, source, finality.Options{Now: time.Now, TrustingPeriod: a.period})
	if err != nil {
		return connection.Trust{}, err
	}
	return follower.Trust(command.Context(), f.BlockNumber)
}

// inFile is a source of the light block in a proof.
type inFile struct{ *file }

// LightBlock implements finality.Provider.
func (f inFile) LightBlock(_ context.Context, number uint64) ([]byte, error) {
	if number != f.BlockNumber+1 {
		return nil, finality.ErrNotFound
	}
	return f.file.LightBlock, nil
}
