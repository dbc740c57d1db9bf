package comet

import cmtcfg "github.com/cometbft/cometbft/config"

// recheckEvery is how many blocks with transactions may pass between two rechecks.
const recheckEvery = 64

// recheck decides after which blocks the mempool asks the application again about all that is pending, and
// drops what it no longer wants. Asking costs microseconds for every transaction, at every block, while the
// mempool is locked: with 100,000 pending it takes longer than the block. It is needed where the engine would
// otherwise make empty blocks for ever, because something is pending that will never be proposed: after a block
// without transactions. Beyond that, now and then is enough.
//
// The engine reads the setting in the routine that updates the mempool. It starts that routine after the
// application's commit, before which it has waited for the one before, so decide, called in between, does not
// race with it.
type recheck struct {
	settings *cmtcfg.MempoolConfig
	empty    bool // the block under way has no transactions
	skipped  int  // blocks since the last recheck
}

// executed tells of a block under way.
func (r *recheck) executed(transactions int) { r.empty = transactions == 0 }

// decide is called when the block is committed.
func (r *recheck) decide() {
	r.skipped++
	r.settings.Recheck = r.empty || r.skipped >= recheckEvery
	if r.settings.Recheck {
		r.skipped = 0
	}
}
