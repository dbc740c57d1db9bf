package abci

import (
	"bytes"
	"errors"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/crypto/ed25519"

	"makechain/internal/ledger"
	"makechain/internal/validators"
)

// appendPendingChange appends the pending change to a block. It drops one that no longer applies.
func (a *App) appendPendingChange(view ledger.View, height uint64, block *outcome) error {
	a.mu.Lock()
	pending := a.pendingChange
	a.mu.Unlock()
	if pending == nil {
		return nil
	}
	applied, err := a.validators.Execute(view, height, pending)
	if refused := (*validators.RefusedError)(nil); errors.As(err, &refused) {
		a.Log.Warn("dropped a change that no longer applies", "reason", refused)
		a.mu.Lock()
		a.pendingChange = nil
		a.mu.Unlock()
		return nil
	}
	if err != nil {
		return err
	}
	block.txs, block.change = append(block.txs, pending), applied
	return nil
}

// applyChange executes the change at the end of the block of a height, after the given number of messages.
func (a *App) applyChange(view ledger.View, height uint64, tx []byte, messages int) (*validators.Applied, error) {
	applied, err := a.validators.Execute(view, height, tx)
	if refused := (*validators.RefusedError)(nil); errors.As(err, &refused) {
		return nil, &ledger.InvalidBlockError{Index: messages, Reason: refused.Error()}
	}
	return applied, err
}

// dropStaleChange drops the pending change after a block, if it no longer applies. Of several changes of one kind only one can apply. One
// of another kind still applies, unless the validators that signed it have changed. An activation of rules applies until its height is near.
func (a *App) dropStaleChange() error {
	a.mu.Lock()
	pending := a.pendingChange
	a.mu.Unlock()
	if pending == nil {
		return nil
	}
	latest := a.Latest()
	_, err := a.validators.Execute(latest, latest.Height()+1, pending)
	err = errors.Join(err, latest.Close())
	if refused := (*validators.RefusedError)(nil); !errors.As(err, &refused) {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if bytes.Equal(a.pendingChange, pending) {
		a.pendingChange = nil
	}
	return nil
}

// updates returns the voting powers that change.
func (e *execution) updates() []abci.ValidatorUpdate {
	if e.change == nil {
		return nil
	}
	powers, _ := e.change.Change.Content.(validators.Powers)
	var updates []abci.ValidatorUpdate
	for _, v := range powers {
		updates = append(updates, abci.UpdateValidator(v.Key[:], v.Power, ed25519.KeyType))
	}
	return updates
}
