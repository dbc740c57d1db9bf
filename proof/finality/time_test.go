package finality_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cometbft/cometbft/types"

	"makechain/proof"
	"makechain/proof/finality"
)

// TestVoteTime checks that the time of a block is the median of the signed times, weighted by power, so that neither a third of the
// power nor the node that returns the block can choose it.
//
// Rules: P6.6.
func TestVoteTime(t *testing.T) {
	t.Parallel()
	root := rootOf("state")
	at := func(seconds int64) time.Time { return time.Unix(1_700_000_000+seconds, 0).UTC() }
	far := int64(1_000_000_000)
	for name, test := range map[string]struct {
		powers []int64 // validators are ordered by descending power
		times  []int64
		want   int64
	}{
		"one validator":            {[]int64{10}, []int64{7}, 7},
		"a late one":               {[]int64{10, 10, 10, 10}, []int64{1, 2, far, 3}, 2},
		"an early one":             {[]int64{10, 10, 10, 10}, []int64{-far, 2, 3, 4}, 2},
		"votes left out":           {[]int64{10, 10, 10, 10}, []int64{far, 2, 3}, 3},
		"the powerful one decides": {[]int64{70, 10, 10, 10}, []int64{5, far, far, far}, 5},
	} {
		c := newChain("validators", test.powers...)
		times := make([]time.Time, len(test.times))
		for i, seconds := range test.times {
			times[i] = at(seconds)
		}
		block := encode(t, c.signAt(t, c.header(number, root[:]), times...))
		if _, err := finality.Verify(block, number, c.trust()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := finality.VoteTime(block); err != nil || !got.Equal(at(test.want)) {
			t.Errorf("%s: %v, want %v: %v", name, got, at(test.want), err)
		}
	}
}

// TestVoteTimeRefused checks that all signatures count, also those that Verify does not need.
//
// Rules: P6.6.
func TestVoteTimeRefused(t *testing.T) {
	t.Parallel()
	root := rootOf("state")
	c := newChain("validators", 10, 10, 10, 10)
	for name, test := range map[string]struct {
		change func(*types.LightBlock)
		step   string
	}{
		"another time of the last vote": {func(b *types.LightBlock) {
			b.Commit.Signatures[3].Timestamp = b.Commit.Signatures[3].Timestamp.Add(time.Hour)
		}, finality.StepSignatures},
		"another header": {func(b *types.LightBlock) { b.Time = b.Time.Add(time.Hour) }, finality.StepHeader},
		"no commit":      {func(b *types.LightBlock) { b.Commit = nil }, proof.StepEncoding},
	} {
		block := c.sign(t, c.header(number, root[:]), 4)
		test.change(block)
		_, err := finality.VoteTime(encode(t, block))
		var failed *proof.StepError
		if !errors.As(err, &failed) || failed.Step != test.step {
			t.Errorf("%s: %v, want step %s", name, err, test.step)
		}
	}
}
