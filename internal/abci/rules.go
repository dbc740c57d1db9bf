package abci

import (
	"errors"

	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"

	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// paramUpdates returns the app version for the header of the next block, if its version of the rules is another one than that of an executed
// block. CometBFT applies updates of a block to the next one. It returns nil if nothing changes.
func (a *App) paramUpdates(e *execution) (*cmtproto.ConsensusParams, error) {
	rules, err := a.rulesAfter(e)
	if err != nil {
		return nil, err
	}
	next := rules.At(e.block.Height + 1)
	if next == rules.At(e.block.Height) {
		return nil, nil
	}
	a.Log.Info("the rules change", "version", next, "height", e.block.Height+1)
	return &cmtproto.ConsensusParams{Version: &cmtproto.VersionParams{App: next}}, nil
}

// rulesAfter returns the activation of rules in the state after an executed block.
func (a *App) rulesAfter(e *execution) (*ledger.RulesState, error) {
	if e.change != nil {
		return e.change.State.Rules, nil
	}
	latest := a.Latest()
	value, err := latest.Get(schema.RulesKey())
	if err = errors.Join(err, latest.Close()); err != nil {
		return nil, err
	}
	params := a.Genesis.Params()
	return params.RulesOf(value)
}

// checkNextRules calls Unsupported if this program does not have the version of the rules of the next block.
func (a *App) checkNextRules() error {
	latest := a.Latest()
	params := a.Genesis.Params()
	_, err := params.RulesIn(latest, latest.Height()+1)
	unsupported := (*ledger.UnsupportedRulesError)(nil)
	if errors.As(err, &unsupported) {
		a.Log.Error("this program cannot execute the next block", "reason", unsupported)
		if a.Unsupported != nil {
			a.Unsupported(unsupported)
		}
		err = nil // this block is durable
	}
	return errors.Join(err, latest.Close())
}
