package node_test

import (
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	dbm "github.com/cometbft/cometbft-db"

	"makechain/internal/store"
)

// databaseSize returns the size of the keys and values in the databases of a home. The size on disk depends on compactions,
// which small databases never run.
func databaseSize(t *testing.T, home string) (bytes int) {
	t.Helper()
	for _, name := range []string{"blockstore", "state"} {
		db, err := dbm.NewDB(name, dbm.GoLevelDBBackend, filepath.Join(home, "data"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := db.Iterator(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for ; rows.Valid(); rows.Next() {
			bytes += len(rows.Key()) + len(rows.Value())
		}
		if err := errors.Join(rows.Error(), rows.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	visitState(t, home, func(key, value []byte) { bytes += len(key) + len(value) })
	return bytes
}

// lowestRow returns the lowest block with an indexed message.
func lowestRow(t *testing.T, home string) uint64 {
	t.Helper()
	lowest := uint64(math.MaxUint64)
	visitState(t, home, func(key, value []byte) {
		if key[0] == store.FirstIndexPrefix {
			lowest = min(lowest, binary.BigEndian.Uint64(value))
		}
	})
	return lowest
}

// visitState visits all rows of the state and the indexes of a home.
func visitState(t *testing.T, home string, visit func(key, value []byte)) {
	t.Helper()
	edit(t, home, func(db *pebble.DB) error {
		rows, err := db.NewIter(nil)
		if err != nil {
			return err
		}
		for rows.First(); rows.Valid(); rows.Next() {
			visit(rows.Key(), rows.Value())
		}
		return errors.Join(rows.Error(), rows.Close())
	})
}
