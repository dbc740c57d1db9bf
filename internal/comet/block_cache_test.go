package comet

import (
	"context"
	"errors"
	"testing"

	abci "github.com/cometbft/cometbft/abci/types"
	cmtcfg "github.com/cometbft/cometbft/config"
)

// TestBlockCache checks that the cache keeps the newest blocks within its limits.
func TestBlockCache(t *testing.T) {
	t.Parallel()
	var cache blockCache
	large := make([]byte, blockCacheBytes/4)
	for number := range uint64(blockCacheCount + 10) {
		cache.add(number, [][]byte{{byte(number)}})
	}
	for number := range uint64(blockCacheCount + 10) {
		transactions, found := cache.get(number)
		if want := number >= 10; found != want {
			t.Fatalf("block %d cached: %v, want %v", number, found, want)
		}
		if found && transactions[0][0] != byte(number) {
			t.Fatalf("block %d has the transactions of another", number)
		}
	}
	for number := range uint64(10) {
		cache.add(1_000+number, [][]byte{large})
	}
	if cache.bytes > blockCacheBytes || len(cache.order) != len(cache.blocks) {
		t.Errorf("%d bytes in %d blocks are cached, at most %d bytes", cache.bytes, len(cache.blocks), blockCacheBytes)
	}
	if _, found := cache.get(1_009); !found {
		t.Error("the last block was evicted")
	}
}

// TestExecutedBlocksAreCached checks that executed blocks are cached, and failed ones are not.
func TestExecutedBlocksAreCached(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{nil, errors.New("for the test")} {
		cache := new(blockCache)
		app := &application{
			Application: executor{failure: failure}, failed: func(error) {},
			recheck: &recheck{settings: new(cmtcfg.MempoolConfig)}, cache: cache,
		}
		block := &abci.RequestFinalizeBlock{Height: 7, Txs: [][]byte{{1}, {2}}}
		if _, err := app.FinalizeBlock(t.Context(), block); !errors.Is(err, failure) {
			t.Fatalf("error %v, want %v", err, failure)
		}
		transactions, found := cache.get(7)
		if found != (failure == nil) || found && len(transactions) != 2 {
			t.Errorf("after error %v: %d transactions, found %t", failure, len(transactions), found)
		}
	}
}

// executor is an application whose FinalizeBlock returns an error, if it is set.
type executor struct {
	abci.BaseApplication

	failure error
}

func (e executor) FinalizeBlock(context.Context, *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	return new(abci.ResponseFinalizeBlock), e.failure
}
