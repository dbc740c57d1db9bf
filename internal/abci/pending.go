package abci

import (
	"bytes"
	"errors"
	"fmt"

	"makechain/internal/validators"
)

// errChangePending is the reason for which a second change is refused.
var errChangePending = errors.New("another change is pending")

// AdmitGossip validates transactions that a peer sent and keeps them until they are in a block: messages in the Pool, and a
// change in the App. It returns which of them are new. invalid describes a message that no state makes valid, nil if there is
// none.
func (a *App) AdmitGossip(peer string, transactions [][]byte) (added []bool, invalid, err error) {
	added = make([]bool, len(transactions))
	var messages [][]byte
	var positions []int // of the messages
	for i, tx := range transactions {
		if !validators.IsChange(tx) {
			messages, positions = append(messages, tx), append(positions, i)
			continue
		}
		isNew, changeErr := a.AddChange(tx)
		if refused := (*validators.RefusedError)(nil); !errors.As(changeErr, &refused) {
			err = errors.Join(err, changeErr)
		}
		added[i] = isNew
	}
	if len(messages) == 0 {
		return added, nil, err
	}
	inPool, invalid, poolErr := a.Pool.AdmitGossip(peer, messages)
	for i, isNew := range inPool {
		added[positions[i]] = isNew
	}
	return added, invalid, errors.Join(err, poolErr)
}

// Empty reports whether neither a message nor a change is pending.
func (a *App) Empty() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.pendingChange == nil && a.Pool.Len() == 0
}

// Transactions returns the pending change and pending messages of at most maxBytes in total.
func (a *App) Transactions(maxBytes int) [][]byte {
	a.mu.Lock()
	change := a.pendingChange
	a.mu.Unlock()
	var transactions [][]byte
	if change != nil && len(change) <= maxBytes {
		transactions = append(transactions, change)
		maxBytes -= len(change)
	}
	return append(transactions, a.Pool.Transactions(maxBytes)...)
}

// AddChange validates a change, from this node's operator or from a peer, and reports whether it is new. The first valid one waits for
// a block: of several with the next sequence number only one can apply. It returns a *validators.RefusedError if the change does not
// apply or another one is pending.
func (a *App) AddChange(tx []byte) (added bool, err error) {
	a.mu.Lock()
	pending := a.pendingChange
	a.mu.Unlock()
	switch {
	case bytes.Equal(pending, tx):
		return false, nil
	case pending != nil:
		return false, &validators.RefusedError{Reason: errChangePending}
	}
	latest := a.Latest()
	_, err = a.validators.Execute(latest, latest.Height()+1, tx)
	if err = errors.Join(err, latest.Close()); err != nil {
		return false, fmt.Errorf("abci: check a change: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pendingChange != nil {
		return false, nil
	}
	a.pendingChange = bytes.Clone(tx)
	return true, nil
}
