package abci

import (
	"bytes"
	"errors"
	"fmt"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/crypto/ed25519"

	"makechain/internal/ledger"
	"makechain/internal/validators"
)

// checkChange judges a change of the validators, from this node's operator or from a peer. The first good one waits
// for a block; only one of those that come next in the sequence can ever apply.
func (a *App) checkChange(req *abci.RequestCheckTx) (*abci.ResponseCheckTx, error) {
	a.mu.Lock()
	waiting := a.waiting
	a.mu.Unlock()
	switch {
	case bytes.Equal(waiting, req.Tx):
		return &abci.ResponseCheckTx{Code: abci.CodeTypeOK}, nil
	case req.Type == abci.CheckTxType_Recheck:
		return &abci.ResponseCheckTx{Code: codeGone, Log: "no longer pending"}, nil
	case waiting != nil:
		return &abci.ResponseCheckTx{Code: codeRefused, Log: "another change of the validators waits for a block"}, nil
	}
	err := a.judgeChange(req.Tx)
	var refused *validators.RefusedError
	switch {
	case errors.As(err, &refused):
		return &abci.ResponseCheckTx{Code: codeRefused, Log: refused.Error()}, nil
	case err != nil:
		return nil, fmt.Errorf("abci: judge a change of the validators: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = bytes.Clone(req.Tx)
	}
	return &abci.ResponseCheckTx{Code: abci.CodeTypeOK}, nil
}

// judgeChange judges a change by the latest state.
func (a *App) judgeChange(tx []byte) error {
	latest := a.State.Snapshot()
	_, err := a.validators.Execute(latest, tx)
	return errors.Join(err, latest.Close())
}

// endWithChange puts the change that waits at the end of a block. One that no longer applies is let go.
func (a *App) endWithChange(view ledger.View, block *outcome) error {
	a.mu.Lock()
	waiting := a.waiting
	a.mu.Unlock()
	if waiting == nil {
		return nil
	}
	applied, err := a.validators.Execute(view, waiting)
	if refused := (*validators.RefusedError)(nil); errors.As(err, &refused) {
		a.Log.Warn("a change of the validators no longer applies", "reason", refused)
		a.mu.Lock()
		a.waiting = nil
		a.mu.Unlock()
		return nil
	}
	if err != nil {
		return err
	}
	block.txs, block.change = append(block.txs, waiting), applied
	return nil
}

// applyChange applies the change that a block ends with, after so many messages.
func (a *App) applyChange(view ledger.View, tx []byte, messages int) (*validators.Applied, error) {
	applied, err := a.validators.Execute(view, tx)
	if refused := (*validators.RefusedError)(nil); errors.As(err, &refused) {
		return nil, &ledger.InvalidBlockError{Index: messages, Reason: refused.Error()}
	}
	return applied, err
}

// updates tells the engine which powers change.
func (e *execution) updates() []abci.ValidatorUpdate {
	if e.change == nil {
		return nil
	}
	var updates []abci.ValidatorUpdate
	for _, v := range e.change.Change.Validators {
		updates = append(updates, abci.UpdateValidator(v.Key[:], v.Power, ed25519.KeyType))
	}
	return updates
}
