package comet

import cmtcfg "github.com/cometbft/cometbft/config"

// recheckInterval is the number of blocks with transactions between two rechecks.
const recheckInterval = 64

// recheck decides, for an application without a Pool, after which blocks CometBFT's mempool rechecks its transactions and drops
// those that the application no longer accepts. A recheck costs microseconds per transaction while the mempool is locked: with
// 100,000 pending it takes longer than a block. It is necessary after a block without transactions, since a pending transaction
// that is never proposed would make the engine create empty blocks forever. Otherwise every recheckInterval blocks are enough.
//
// The engine reads the setting in the goroutine that updates the mempool. It starts that goroutine after the application's
// Commit and waits for it before the next one, so committed, which is called in Commit, does not race with it.
type recheck struct {
	settings *cmtcfg.MempoolConfig
	empty    bool // the executed block has no transactions
	skipped  int  // blocks since the last recheck
}

// executed records the number of transactions of the block that is being executed.
func (r *recheck) executed(transactions int) { r.empty = transactions == 0 }

// committed sets whether to recheck after the block that is being committed.
func (r *recheck) committed() {
	r.skipped++
	r.settings.Recheck = r.empty || r.skipped >= recheckInterval
	if r.settings.Recheck {
		r.skipped = 0
	}
}
