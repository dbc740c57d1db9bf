package attester

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"makechain/internal/attester"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// clientDir is the directory, in that of the attester, with the highest block that was verified: an earlier state is refused.
const clientDir = "client"

// settlement returns a function that reads the settlement in force: from the node, verified from the validators of the genesis on, or
// without a node that of the genesis. The domain of its result has the id of the chain also after an error. disconnect closes the
// connection to the node.
func (f *flags) settlement(command *cobra.Command) (read func(context.Context) (attester.Settlement, error), disconnect func(), err error) {
	g, err := query.ReadGenesis(f.genesis)
	if err != nil {
		return nil, nil, fmt.Errorf("--genesis: %w", err)
	}
	if f.node == "" {
		if g.Settlement.Contract == (ident.Address{}) {
			return nil, nil, usage.Advise(errors.New("the genesis file names no settlement contract: there are no payments to read"),
				"a network whose genesis has settlement.contract, or --node if the validators have changed the settlement")
		}
		params := g.Params()
		fixed := settlementOf(&params)
		return func(context.Context) (attester.Settlement, error) { return fixed, nil }, func() {}, nil
	}
	from := &connection.Flags{
		Node: f.node, Genesis: f.genesis, ConfigDir: connection.ConfigDir{Given: filepath.Join(f.home, clientDir)},
	}
	c, err := from.Dial(command)
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context) (attester.Settlement, error) {
		params, err := query.Params(ctx, c, g)
		if err != nil {
			return settlementOf(&ledger.Params{Network: g.Network, ChainID: g.ChainID}), err
		}
		return settlementOf(params), nil
	}, c.Close, nil
}

// settlementOf returns the settlement of a chain as an attester uses it.
func settlementOf(params *ledger.Params) attester.Settlement {
	found := attester.Settlement{Domain: params.Settlement.Domain(params)}
	for _, one := range params.Settlement.Attesters {
		found.Attesters = append(found.Attesters, one.Key)
	}
	return found
}
