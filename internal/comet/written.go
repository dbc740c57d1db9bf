package comet

import (
	dbm "github.com/cometbft/cometbft-db"
	"github.com/syndtr/goleveldb/leveldb"
)

// Written is the number of bytes that the engine's databases have written since they were opened, by reason. CometBFT's WAL
// of consensus messages is not included.
type Written struct {
	WAL        uint64 // includes the few bytes of manifests
	Flush      uint64 // of memtables
	Compaction uint64
	Parts      uint64 // the files with the parts of blocks
}

// written returns the number of bytes that a database has written, zeros if it is not open.
func (d *databases) written(name string) Written {
	opened := d.named(name)
	if opened == nil {
		return Written{}
	}
	var w Written
	level, ok := opened.DB.(*dbm.GoLevelDB)
	if blocks, hasParts := opened.DB.(*partDB); hasParts {
		level, ok, w.Parts = blocks.GoLevelDB, true, blocks.parts.written.Load()
	}
	if !ok {
		return w
	}
	var stats leveldb.DBStats
	if err := level.DB().Stats(&stats); err != nil {
		return w // it is closed
	}
	for i, bytes := range stats.LevelWrite {
		if i == 0 {
			w.Flush += uint64(bytes)
		} else {
			w.Compaction += uint64(bytes)
		}
	}
	w.WAL = stats.IOWrite - min(stats.IOWrite, w.Flush+w.Compaction)
	return w
}

// WrittenBlocks returns the number of bytes that the database of blocks has written.
func (e *Engine) WrittenBlocks() Written { return e.databases.written(blockDatabase) }

// WrittenState returns the number of bytes that the database of CometBFT's own state has written: validators and parameters.
func (e *Engine) WrittenState() Written { return e.databases.written(stateDatabase) }
