package comet

import (
	"context"
	"errors"
	"testing"

	abci "github.com/cometbft/cometbft/abci/types"
	cmtcfg "github.com/cometbft/cometbft/config"
)

// TestRecentBlocks keeps what came last, within its bounds, and never mixes blocks up.
func TestRecentBlocks(t *testing.T) {
	t.Parallel()
	var recent blockCache
	large := make([]byte, recentBytes/4)
	for number := range uint64(recentCount + 10) {
		recent.add(number, [][]byte{{byte(number)}})
	}
	for number := range uint64(recentCount + 10) {
		transactions, found := recent.get(number)
		if want := number >= 10; found != want {
			t.Fatalf("block %d kept: %v, want %v", number, found, want)
		}
		if found && transactions[0][0] != byte(number) {
			t.Fatalf("block %d has the transactions of another", number)
		}
	}
	for number := range uint64(10) {
		recent.add(1_000+number, [][]byte{large})
	}
	if recent.bytes > recentBytes || len(recent.order) != len(recent.blocks) {
		t.Errorf("%d bytes in %d blocks are kept, at most %d bytes", recent.bytes, len(recent.blocks), recentBytes)
	}
	if _, found := recent.get(1_009); !found {
		t.Error("the block that came last is gone")
	}
}

// TestExecutedBlocksAreRecent finds the transactions of a block that was executed without reading them again, and
// not those of one that failed.
func TestExecutedBlocksAreRecent(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{nil, errors.New("for the test")} {
		recent := new(blockCache)
		app := &application{
			Application: executor{failure: failure}, failed: func(error) {},
			recheck: &recheck{settings: new(cmtcfg.MempoolConfig)}, cache: recent,
		}
		block := &abci.RequestFinalizeBlock{Height: 7, Txs: [][]byte{{1}, {2}}}
		if _, err := app.FinalizeBlock(t.Context(), block); !errors.Is(err, failure) {
			t.Fatalf("error %v, want %v", err, failure)
		}
		transactions, found := recent.get(7)
		if found != (failure == nil) || found && len(transactions) != 2 {
			t.Errorf("after error %v: %d transactions, found %t", failure, len(transactions), found)
		}
	}
}

// executor executes blocks, or fails to.
type executor struct {
	abci.BaseApplication

	failure error
}

func (e executor) FinalizeBlock(context.Context, *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	return new(abci.ResponseFinalizeBlock), e.failure
}
