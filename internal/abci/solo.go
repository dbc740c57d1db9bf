package abci

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// Solo makes blocks of what is pending without consensus, to see what the application alone does. It calls what
// CometBFT calls in a chain of one validator, in the same order.
type Solo struct {
	app    *App
	height int64
}

// NewSolo goes on from the last durable block.
func NewSolo(ctx context.Context, app *App) (*Solo, error) {
	info, err := app.Info(ctx, &abci.RequestInfo{})
	if err != nil {
		return nil, err
	}
	return &Solo{app: app, height: info.LastBlockHeight}, nil
}

// Block makes the next block, and tells how many messages it has.
func (s *Solo) Block(ctx context.Context, at time.Time) (messages int, err error) {
	height := s.height + 1
	proposed, err := s.app.PrepareProposal(ctx, &abci.RequestPrepareProposal{Height: height, Time: at, MaxTxBytes: ledger.MaxBlockBytes})
	if err != nil {
		return 0, err
	}
	verdict, err := s.app.ProcessProposal(ctx, &abci.RequestProcessProposal{Height: height, Time: at, Txs: proposed.Txs})
	if err != nil {
		return 0, err
	}
	if !verdict.IsAccepted() {
		return 0, fmt.Errorf("abci: the application refuses its own proposal of height %d", height)
	}
	var hash ident.Hash // any will do that no other block has
	binary.BigEndian.PutUint64(hash[:], uint64(height))
	if _, err := s.app.FinalizeBlock(ctx, &abci.RequestFinalizeBlock{Height: height, Time: at, Txs: proposed.Txs, Hash: hash[:]}); err != nil {
		return 0, err
	}
	if _, err := s.app.Commit(ctx, &abci.RequestCommit{}); err != nil {
		return 0, err
	}
	s.height = height
	return len(proposed.Txs), nil
}
