package store

import (
	"fmt"
	"log/slog"
	"runtime"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options of a store. The zero value is good.
type Options struct {
	// Parallelism is the number of goroutines that hash, by default the number of cores.
	Parallelism int
	// Log receives what the database reports, nothing by default.
	Log *slog.Logger

	fs vfs.FS // the disk if nil
}

const (
	// cacheBytes is the memory of the database: for memtables first, and what they leave for blocks of rows. The tree
	// asks for rows seldom, so the cache serves the reads of the ledger and the API, whose rows lie side by side.
	cacheBytes = 128 << 20
	// memtableBytes holds several blocks, so that flushes are few.
	memtableBytes = 16 << 20
	// memtableStop is how many memtables may be there before a commit waits for a flush.
	memtableStop = 4
	// l0Compact is the number of files on top of one another in level 0 that starts a compaction. Those who read pay for
	// more of them; but keys are random, so a compaction rewrites all of the level below, and fewer are worth more.
	l0Compact = 8
	// l0Stop is where commits wait for compactions. It is far above l0Compact: a burst of large blocks shall not wait,
	// and what the burst costs is paid back by later, larger compactions.
	l0Stop = 64
	// baseLevelBytes is the size of the first level below 0. What a compaction out of level 0 rewrites in it grows with
	// its size, and how often the next level is rewritten shrinks. With these two, compaction took 8 % of a loaded node at
	// a million rows, instead of 13 % with half as many files and a third of the size.
	baseLevelBytes = 12 * memtableBytes
	// fileBytes is the size of a table file on the base level; it doubles with every level.
	fileBytes = 8 << 20
	// blockBytes is the size of a block. Rows are about 150 bytes, and a look-up reads one block.
	blockBytes = 8 << 10
	// bloomBits is the number of filter bits a row: one look-up of an absent row in a hundred reads a block in vain.
	// Executing a message asks for many rows that are not there.
	bloomBits = 10
	// openFiles bounds the table files held open.
	openFiles = 1024
)

// Database says how the database is set up.
func (o Options) PebbleOptions() *pebble.Options {
	p := &pebble.Options{
		FS:                          o.fs,
		FormatMajorVersion:          pebble.FormatNewest,
		CacheSize:                   cacheBytes,
		MemTableSize:                memtableBytes,
		MemTableStopWritesThreshold: memtableStop,
		L0CompactionThreshold:       l0Compact,
		L0StopWritesThreshold:       l0Stop,
		LBaseMaxBytes:               baseLevelBytes,
		MaxOpenFiles:                openFiles,
		// A second compaction runs only when the first falls behind: the other core belongs to the node.
		CompactionConcurrencyRange: func() (int, int) { return 1, 2 },
		Logger:                     databaseLog{o.Log},
	}
	if p.FS == nil {
		p.FS = vfs.Default
	}
	p.TargetFileSizes[0] = fileBytes
	for i := range p.Levels {
		p.Levels[i].BlockSize = blockBytes
		p.Levels[i].FilterPolicy = bloom.FilterPolicy(bloomBits)
	}
	return p
}

func (o Options) parallelism() int {
	if o.Parallelism > 0 {
		return o.Parallelism
	}
	return runtime.GOMAXPROCS(0)
}

// databaseLog passes on what the database reports.
type databaseLog struct{ log *slog.Logger }

// Infof is for progress, which only someone who looks into the database wants to see.
func (l databaseLog) Infof(format string, args ...any) {
	if l.log != nil {
		l.log.Debug(fmt.Sprintf(format, args...))
	}
}

// Errorf is for what the database survives.
func (l databaseLog) Errorf(format string, args ...any) {
	if l.log != nil {
		l.log.Error(fmt.Sprintf(format, args...))
	}
}

// Fatalf must not return: the database calls it when it can no longer tell what is durable.
func (l databaseLog) Fatalf(format string, args ...any) {
	l.Errorf(format, args...)
	panic("store: " + fmt.Sprintf(format, args...)) // invariant: the database goes on with a broken state if this returns
}
