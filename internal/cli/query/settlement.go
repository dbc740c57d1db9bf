package query

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"makechain/internal/cli/input"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/internal/settlement"
)

// maxGenesis is the maximum size of a genesis file that is read for its settlement.
const maxGenesis = 4 << 20

// Chain returns the parameters of the chain of --genesis, with the settlement in force, which is proven: validators may have changed that of
// the genesis.
func (q *Query) Chain() (*ledger.Params, error) {
	path := q.flags.Connection.Genesis
	if path == "" {
		return nil, usage.Advise(errors.New("the attesters of the chain are not known"), "--genesis with the genesis file of the chain, which lists them")
	}
	document, err := input.ReadFile(path, maxGenesis)
	if err != nil {
		return nil, err
	}
	g, err := comet.ParseGenesis(document)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	params := g.Params()
	value, _, err := q.Client.Row(q.Context(), schema.SettlementKey())
	if err != nil {
		return nil, fmt.Errorf("read the settlement: %w", err)
	}
	inForce, err := params.SettlementOf(value)
	if err != nil {
		return nil, err
	}
	params.Settlement = inForce.Settlement
	return &params, nil
}

// CollectClaim collects the attestations of a payment from the attesters of the chain.
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
