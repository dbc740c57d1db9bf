package query

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"makechain/client"
	"makechain/internal/cli/input"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/settlement"
)

// maxGenesis is the maximum size of a genesis file that is read for its settlement.
const maxGenesis = 4 << 20

// ReadGenesis reads a genesis file.
func ReadGenesis(path string) (*genesis.Genesis, error) {
	document, err := input.ReadFile(path, maxGenesis)
	if err != nil {
		return nil, err
	}
	g, err := comet.ParseGenesis(document)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// Settlement returns the settlement in force on the chain of a genesis. It is proven from the validators of the client on: the row of the
// state, or that there is none, in which case it is that of the genesis.
func Settlement(ctx context.Context, c *client.Client, g *genesis.Genesis) (*ledger.SettlementState, error) {
	row, err := c.Settlement(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the settlement in force: %w", err)
	case row == nil:
		return &ledger.SettlementState{Settlement: g.Settlement}, nil
	default:
		return ledger.SettlementFromRow(row)
	}
}

// Params returns the parameters of the chain of a genesis, with the settlement and the version of the rules in force, proven like Settlement.
// The version of a chain whose genesis has a settlement contract is not read: all later versions sign attestations the same way.
func Params(ctx context.Context, c *client.Client, g *genesis.Genesis) (*ledger.Params, error) {
	params := g.Params()
	current, err := Settlement(ctx, c, g)
	if err != nil {
		return nil, err
	}
	params.Settlement = current.Settlement
	if ledger.HasSettlementRules(params.Rules) {
		return &params, nil
	}
	row, block, err := c.Rules(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the version of the rules: %w", err)
	}
	if row != nil {
		activation, err := ledger.RulesFromRow(row)
		if err != nil {
			return nil, err
		}
		params.Rules = activation.At(block + 1)
	}
	return &params, nil
}

// Chain returns the parameters of the chain of --genesis, with the settlement and the version of the rules in force.
func (q *Query) Chain() (*ledger.Params, error) {
	path := q.flags.Connection.Genesis
	if path == "" {
		return nil, usage.Advise(errors.New("the attesters of the chain are not known"), "--genesis with the genesis file of the chain, which lists them")
	}
	g, err := ReadGenesis(path)
	if err != nil {
		return nil, err
	}
	return Params(q.Context(), q.Client, g)
}

// CollectClaim collects the attestations of a payment from the attesters in force.
func (q *Query) CollectClaim(payment settlement.Payment) (*settlement.Claimable, error) {
	chain, err := q.Chain()
	if err != nil {
		return nil, err
	}
	claimable, err := settlement.Collect(q.Context(), chain.Settlement.Domain(chain), &chain.Settlement, payment)
	missing := (*settlement.CollectError)(nil)
	if errors.As(err, &missing) {
		return nil, usage.Advise(err, "the same command again later: attesters sign a payment when its block is final")
	}
	return claimable, err
}

// ParsePayment parses a payment on the command line: the hash of a transaction, or hash/log with the index of one of its logs.
func ParsePayment(text string) (settlement.Payment, error) {
	digits, log, hasLog := strings.Cut(text, "/")
	tx, err := ident.ParseHash(digits)
	if err != nil {
		return settlement.Payment{}, fmt.Errorf("%q is not a transaction of the settlement chain: %w", text, err)
	}
	payment := settlement.Payment{Tx: tx}
	if hasLog {
		index, err := strconv.ParseUint(log, 10, 32)
		if err != nil {
			return settlement.Payment{}, fmt.Errorf("%q is not the index of a log", log)
		}
		number := uint32(index)
		payment.LogIndex = &number
	}
	return payment, nil
}
