package comet_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	dbm "github.com/cometbft/cometbft-db"
	abci "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/comet"
	"makechain/internal/genesis"
)

// pruningApp keeps only the newest blocks.
type pruningApp struct {
	*memoryApp
	retain int64
}

func (a *pruningApp) Commit(ctx context.Context, r *abci.RequestCommit) (*abci.ResponseCommit, error) {
	response, err := a.memoryApp.Commit(ctx, r)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil && a.height > a.retain {
		response.RetainHeight = a.height - a.retain + 1
	}
	return response, err
}

// entries counts the entries of the engine's databases.
func entries(t *testing.T, home string) (blocks, states int) {
	t.Helper()
	count := func(name string) (n int) {
		db, err := dbm.NewDB(name, dbm.GoLevelDBBackend, filepath.Join(home, "data"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := db.Iterator(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for ; rows.Valid(); rows.Next() {
			n++
		}
		if err := errors.Join(rows.Error(), rows.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
		return n
	}
	return count("blockstore"), count("state")
}

// TestPrunedHeaders checks that headers of pruned blocks are kept until evidence expires and deleted afterwards, so that the
// databases do not grow with the chain.
func TestPrunedHeaders(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	const retain, span = 5, 40
	home, g := t.TempDir(), testGenesis()
	g.Consensus = genesis.DefaultConsensus()
	g.Consensus.EvidenceMaxAgeBlocks, g.Consensus.EvidenceMaxAge = 1, 2*time.Second
	if err := comet.Init(home, g); err != nil {
		t.Fatal(err)
	}
	engine, err := comet.Start(t.Context(), testConfig(home), &pruningApp{newMemoryApp(), retain}, testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Stop() })
	sent := 0
	next := func() uint64 {
		sent++
		return submit(t, engine, accountMessage(t, sent))
	}
	var last uint64
	for last < span {
		last = next()
	}
	pruned := engine.Base() - 1
	if light, err := engine.LightBlock(pruned); err != nil || light == nil {
		t.Errorf("the header of pruned block %d is not kept for evidence: %v", pruned, err)
	}
	if transactions, err := engine.Transactions(pruned); err != nil || transactions != nil {
		t.Errorf("pruned block %d has transactions %x, %v", pruned, transactions, err)
	}
	await(t, "the header to be deleted", func() bool {
		last = next()
		light, err := engine.LightBlock(pruned)
		return err == nil && light == nil
	})
	for number := engine.Base(); number < last; number++ {
		if light, err := engine.LightBlock(number); err != nil || light == nil {
			t.Errorf("stored block %d has no light block: %v", number, err)
		}
	}
	stop(t, engine)
	// A header has an entry for its signatures, and one for its validators in the state database. A stored block has three more.
	const others = 20
	blocks, states := entries(t, home)
	if most := int(last - pruned); blocks > 2*most+3*retain+others || states > most+others {
		t.Errorf("%d headers have %d entries in the block database and %d in the state database", most, blocks, states)
	}
}
