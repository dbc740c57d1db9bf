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

// forgetfulApp keeps the newest blocks alone.
type forgetfulApp struct {
	*memoryApp
	retain int64
}

func (a *forgetfulApp) Commit(ctx context.Context, r *abci.RequestCommit) (*abci.ResponseCommit, error) {
	response, err := a.memoryApp.Commit(ctx, r)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil && a.height > a.retain {
		response.RetainHeight = a.height - a.retain + 1
	}
	return response, err
}

// entries counts what the engine's databases hold.
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

// TestPrunedHeaders has a chain drop its blocks while their headers are still kept as evidence. When the evidence has
// expired the headers go too, so that what the databases hold does not grow with the chain.
func TestPrunedHeaders(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network")
	}
	t.Parallel()
	const retain, span = 5, 40
	home, begin := t.TempDir(), testGenesis()
	begin.Consensus = genesis.DefaultConsensus()
	begin.Consensus.EvidenceMaxAgeBlocks, begin.Consensus.EvidenceMaxAge = 1, 2*time.Second
	if err := comet.Init(home, begin); err != nil {
		t.Fatal(err)
	}
	engine, err := comet.Start(t.Context(), testConfig(home), &forgetfulApp{newMemoryApp(), retain}, testLog(t))
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
		t.Errorf("block %d is pruned, and its header is not kept as evidence: %v", pruned, err)
	}
	if transactions, err := engine.Transactions(pruned); err != nil || transactions != nil {
		t.Errorf("block %d is pruned, and has the transactions %x, %v", pruned, transactions, err)
	}
	await(t, "the header to be deleted", func() bool {
		last = next()
		light, err := engine.LightBlock(pruned)
		return err == nil && light == nil
	})
	for number := engine.Base(); number < last; number++ {
		if light, err := engine.LightBlock(number); err != nil || light == nil {
			t.Errorf("block %d is kept, and has no light block: %v", number, err)
		}
	}
	stop(t, engine)
	// A header comes with its signatures, and with validators among the states. A block that is kept has three more.
	const others = 20
	blocks, states := entries(t, home)
	if most := int(last - pruned); blocks > 2*most+3*retain+others || states > most+others {
		t.Errorf("for %d headers there are %d entries of blocks and %d of states", most, blocks, states)
	}
}
