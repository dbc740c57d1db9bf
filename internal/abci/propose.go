package abci

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"golang.org/x/sync/errgroup"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/validators"
	"makechain/message"
)

// execution is an executed block. It is kept from its proposal until a block of its height is decided.
type execution struct {
	*outcome

	block  ledger.Block
	hash   ident.Hash // of the block, once it is decided
	staged Staged
}

// outcome is the result of executing the transactions of a block.
type outcome struct {
	txs    [][]byte
	result *ledger.Result
	change *validators.Applied // at the end of the block, nil if there is none
}

// PrepareProposal builds a block from the mempool. It orders and executes the messages and leaves out those that do not
// apply. These are refused when the block is decided, not before: they may apply in a different block of this height.
func (a *App) PrepareProposal(_ context.Context, req *abci.RequestPrepareProposal) (*abci.ResponsePrepareProposal, error) {
	block := blockOf(req.Height, req.Time)
	made, err := a.execute(block, func(view ledger.View) (*outcome, error) {
		candidates, reserved := a.Pool.Candidates()
		result, err := a.ledger.Assemble(view, block, candidates, reserved)
		if err != nil {
			return nil, err
		}
		a.Pool.Assembled(result)
		made := &outcome{result: result}
		for _, applied := range result.Applied {
			made.txs = append(made.txs, applied.Message.Transaction())
		}
		return made, a.appendPendingChange(view, block.Height, made)
	})
	if err != nil {
		return nil, fmt.Errorf("abci: prepare height %d: %w", req.Height, err)
	}
	return &abci.ResponsePrepareProposal{Txs: made.txs}, nil
}

// ProcessProposal rejects a block that violates a rule of P6.
func (a *App) ProcessProposal(_ context.Context, req *abci.RequestProcessProposal) (*abci.ResponseProcessProposal, error) {
	_, err := a.executionOf(blockOf(req.Height, req.Time), req.Txs)
	var invalid *ledger.InvalidBlockError
	switch {
	case errors.As(err, &invalid):
		a.Log.Warn("rejected a proposed block", "height", req.Height, "proposer", hex.EncodeToString(req.ProposerAddress), "reason", invalid)
		return &abci.ResponseProcessProposal{Status: abci.ResponseProcessProposal_REJECT}, nil
	case err != nil:
		return nil, fmt.Errorf("abci: process height %d: %w", req.Height, err)
	}
	return &abci.ResponseProcessProposal{Status: abci.ResponseProcessProposal_ACCEPT}, nil
}

// executionOf returns the execution of a block, which it executes unless it was executed before.
func (a *App) executionOf(block ledger.Block, txs [][]byte) (*execution, error) {
	a.mu.Lock()
	for _, e := range a.executions {
		if e.block == block && slices.EqualFunc(e.txs, txs, bytes.Equal) {
			a.mu.Unlock()
			return e, nil
		}
	}
	a.mu.Unlock()
	encoded, change := validators.Split(txs)
	messages, verified, err := a.decode(encoded)
	if err != nil {
		return nil, err
	}
	_, err = a.execute(block, func(view ledger.View) (*outcome, error) {
		result, err := a.ledger.Execute(view, block, messages)
		if err = errors.Join(verified(), err); err != nil || change == nil {
			return &outcome{txs: txs, result: result}, err
		}
		applied, err := a.applyChange(view, block.Height, change, len(messages))
		return &outcome{txs: txs, result: result, change: applied}, err
	})
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.executions[len(a.executions)-1], nil
}

// execute runs a block on the latest state and keeps its execution.
func (a *App) execute(block ledger.Block, run func(ledger.View) (*outcome, error)) (*outcome, error) {
	snapshot := a.Latest()
	made, err := run(snapshot)
	if err != nil {
		return nil, errors.Join(err, snapshot.Close())
	}
	if err := snapshot.Close(); err != nil {
		return nil, err
	}
	if made.change != nil {
		made.result.AddRow(made.change.Row)
	}
	staged, err := a.Stage(made.result.Changes)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.executions = append(a.executions, &execution{outcome: made, block: block, staged: staged})
	return made, nil
}

// decode decodes the transactions of a block on all cores. The signatures of messages that are not in the mempool are
// verified while the messages are executed: verified waits for that and returns the result.
func (a *App) decode(txs [][]byte) (messages []*message.Envelope, verified func() error, err error) {
	messages = make([]*message.Envelope, len(txs))
	share := max(1, (len(txs)+a.workers-1)/a.workers)
	var decoding, verifying errgroup.Group
	for from := 0; from < len(txs); from += share {
		to := min(from+share, len(txs))
		decoding.Go(func() error {
			unverified, err := a.decodeShare(messages[from:to], txs[from:to], from)
			if err == nil && len(unverified) > 0 {
				verifying.Go(func() error { return verify(messages, unverified) })
			}
			return err
		})
	}
	if err := decoding.Wait(); err != nil {
		return nil, nil, errors.Join(err, verifying.Wait())
	}
	return messages, verifying.Wait, nil
}

// decodeShare decodes consecutive transactions of a block, from the index first on. It returns the indices of the messages
// whose signatures were not verified before.
func (a *App) decodeShare(messages []*message.Envelope, txs [][]byte, first int) (unverified []int, err error) {
	for i, tx := range txs {
		if messages[i] = a.Pool.Lookup(tx); messages[i] != nil {
			continue
		}
		m, refusal := message.DecodeValid(tx, a.Genesis.Network)
		if refusal != nil {
			return nil, &ledger.InvalidBlockError{Index: first + i, Refusal: refusal}
		}
		messages[i] = m
		unverified = append(unverified, first+i)
	}
	return unverified, nil
}

// verify verifies the signatures of the messages at the given indices as one batch.
func verify(messages []*message.Envelope, indices []int) error {
	share := make([]*message.Envelope, len(indices))
	for i, index := range indices {
		share[i] = messages[index]
	}
	for i, refusal := range message.VerifyBatch(share) {
		if refusal != nil {
			return &ledger.InvalidBlockError{Index: indices[i], Refusal: refusal}
		}
	}
	return nil
}

func blockOf(height int64, at time.Time) ledger.Block {
	return ledger.Block{Height: uint64(height), Time: uint64(max(at.Unix(), 0))}
}
