package comet

import (
	"testing"

	cmtcfg "github.com/cometbft/cometbft/config"
)

// TestRecheck checks that the mempool is rechecked after every empty block, and otherwise at the interval.
func TestRecheck(t *testing.T) {
	t.Parallel()
	settings := new(cmtcfg.MempoolConfig)
	r := &recheck{settings: settings}
	block := func(transactions int) bool {
		r.executed(transactions)
		r.committed()
		return settings.Recheck
	}
	for range 2 {
		if !block(0) {
			t.Error("no recheck after an empty block")
		}
	}
	for round := range 3 {
		for i := range recheckInterval - 1 {
			if block(1) {
				t.Errorf("round %d: recheck after %d full blocks", round, i+1)
			}
		}
		if !block(1) {
			t.Errorf("round %d: no recheck after %d full blocks", round, recheckInterval)
		}
	}
	if block(1) || !block(0) || block(1) {
		t.Error("want a recheck after the empty block only")
	}
}
