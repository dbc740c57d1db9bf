package comet_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	dbm "github.com/cometbft/cometbft-db"

	"makechain/internal/comet"
)

// TestClockBehindGenesis checks that a node with blocks starts although its clock is before the genesis time.
func TestClockBehindGenesis(t *testing.T) {
	t.Parallel()
	home, app := newHome(t), newMemoryApp()
	engine := start(t, testConfig(home), app)
	submit(t, engine, accountMessage(t, 0))
	stop(t, engine)

	postpone(t, home, time.Hour)
	again := start(t, testConfig(home), app)
	submit(t, again, accountMessage(t, 1))
}

// postpone moves the genesis time of a home, which has the effect of setting its clock back.
func postpone(t *testing.T, home string, by time.Duration) {
	t.Helper()
	g, err := comet.Genesis(home)
	if err != nil {
		t.Fatal(err)
	}
	g.Time = g.Time.Add(by)
	path := filepath.Join(home, "config", "genesis.json")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := comet.Init(home, *g); err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := dbm.NewDB("state", dbm.GoLevelDBBackend, filepath.Join(home, "data"))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.SetSync([]byte("genesisDoc"), document); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
