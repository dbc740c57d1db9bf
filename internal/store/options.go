package store

import (
	"cmp"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options configure a store. The zero value is valid.
type Options struct {
	// Parallelism is the number of goroutines that hash. The default is the number of cores.
	Parallelism int
	// Log receives the messages of Pebble and of the state tree. They are discarded by default.
	Log *slog.Logger
	// TreeMemoryRows is the number of rows of the state tree from which on parts of the tree are kept in files. A row takes 80
	// bytes of memory. The default is DefaultTreeMemoryRows.
	TreeMemoryRows int
	// Rebuild makes Open build the state tree from all rows and compare its root, instead of trusting a checkpoint.
	Rebuild bool
	// Progress is called with the number of rows that were read while the state tree is built from all rows.
	Progress func(rows int)

	fs             vfs.FS // vfs.Default if nil
	inMemory       bool   // there are no files for the state tree
	segmentBytes   int    // maximum size of a file of pages, segmentBytes if 0
	checkpointRows int    // smallest state with checkpoints, defaultCheckpointRows if 0
	checkpointKeys int    // changed keys from one checkpoint to the next, defaultCheckpointKeys if 0
}

const (
	// DefaultTreeMemoryRows is the default of Options.TreeMemoryRows. They take 160 MB.
	DefaultTreeMemoryRows = 2_000_000
	// defaultCheckpointRows is the size of a state from which on checkpoints are written: a smaller tree is built from its rows in
	// less than two seconds. A state of which parts are in files has checkpoints too, whatever its size.
	defaultCheckpointRows = 1_000_000
	// defaultCheckpointKeys bounds the changes that have to be applied to a checkpoint at startup. A state with fewer rows has a
	// checkpoint after as many changes as it has rows.
	defaultCheckpointKeys = 1_000_000
)

const (
	// cacheBytes is the memory for memtables and cached blocks. The tree rarely reads rows, so the cache serves the reads
	// of the ledger and the API, whose rows are adjacent.
	cacheBytes = 128 << 20
	// memtableBytes is the size of a memtable: many blocks of the chain. A larger one makes fewer, larger files in level 0, so
	// that the level below is rewritten less often; startup replays it.
	memtableBytes = 32 << 20
	// memtableStop is the number of memtables at which a commit waits for a flush.
	memtableStop = 3
	// l0Compact is twice the number of overlapping files in level 0 that starts a compaction. More files make reads slower, of
	// which filters spare most, but keys are random, so each compaction rewrites the whole level below, and fewer
	// compactions are worth more: twice as many files halved the bytes that compactions write, and took less CPU time.
	l0Compact = 16
	// l0Stop is the number of files at which commits wait for compactions. It is far above l0Compact so that a burst of
	// large blocks does not wait; later, larger compactions make up for it.
	l0Stop = 64
	// urgentDebt is the number of bytes to compact from which on a second compaction may run at the same time.
	urgentDebt = 4 << 30
	// baseLevelBytes is the size of the first level below 0. A larger one makes compactions out of level 0 rewrite more,
	// and the next level be rewritten less often.
	baseLevelBytes = 6 * memtableBytes
	// fileBytes is the size of a table file on the base level; it doubles with every level.
	fileBytes = 8 << 20
	// blockBytes is the size of a block. Rows have about 150 bytes, and a lookup reads one block.
	blockBytes = 8 << 10
	// separateBytes is the size from which values are stored in blob files, which compactions do not rewrite. Commits, profiles
	// and projects are larger; index rows, refs and links are smaller.
	separateBytes = 128
	// blobDepth is the number of overlapping blob files to which a table may refer. More of them mean fewer copies of values,
	// but rows that are adjacent by key are read from as many files.
	blobDepth = 32
	// blobMinimumAge and blobGarbage make Pebble copy the values in use out of a blob file that is older and of which this part
	// is unused.
	blobMinimumAge = 5 * time.Minute
	blobGarbage    = 0.3
	// bloomBits is the number of filter bits per row: one in a hundred lookups of an absent row reads a block. Executing a
	// message looks up many absent rows.
	bloomBits = 10
	// openFiles is the maximum number of open table files.
	openFiles = 1024
)

// PebbleOptions returns the options with which the store opens Pebble.
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
		// A second compaction runs only when the first one cannot keep up: the other core is for the node.
		CompactionConcurrencyRange: func() (int, int) { return 1, 2 },
		Logger:                     databaseLog{o.Log},
	}
	if p.FS == nil {
		p.FS = vfs.Default
	}
	p.Experimental.ValueSeparationPolicy = func() pebble.ValueSeparationPolicy {
		return pebble.ValueSeparationPolicy{
			Enabled:               true,
			MinimumSize:           separateBytes,
			MaxBlobReferenceDepth: blobDepth,
			RewriteMinimumAge:     blobMinimumAge,
			TargetGarbageRatio:    blobGarbage,
		}
	}
	p.Experimental.L0CompactionConcurrency = l0Urgent
	p.Experimental.CompactionDebtConcurrency = urgentDebt
	p.TargetFileSizes[0] = fileBytes
	for i := range p.Levels {
		p.Levels[i].BlockSize = blockBytes
		p.Levels[i].FilterPolicy = bloom.FilterPolicy(bloomBits)
	}
	return p
}

// checkpoints returns what writes pages and checkpoints, nil for a store in memory.
func (o Options) checkpoints(fs vfs.FS, dir string) *checkpoints {
	if o.inMemory {
		return nil
	}
	pages := fs.PathJoin(dir, pagesDir)
	return &checkpoints{
		fs: fs, dir: pages, log: o.Log,
		segments: newSegments(fs, pages, cmp.Or(o.segmentBytes, segmentBytes)),
		minRows:  cmp.Or(o.checkpointRows, min(defaultCheckpointRows, o.treeMemoryRows())),
		interval: cmp.Or(o.checkpointKeys, defaultCheckpointKeys),
	}
}

func (o Options) treeMemoryRows() int { return cmp.Or(o.TreeMemoryRows, DefaultTreeMemoryRows) }

func (o Options) parallelism() int {
	if o.Parallelism > 0 {
		return o.Parallelism
	}
	return runtime.GOMAXPROCS(0)
}

// databaseLog writes the messages of Pebble to a slog.Logger.
type databaseLog struct{ log *slog.Logger }

// Infof logs progress, at debug level.
func (l databaseLog) Infof(format string, args ...any) {
	if l.log != nil {
		l.log.Debug(fmt.Sprintf(format, args...))
	}
}

// Errorf logs an error after which Pebble continues.
func (l databaseLog) Errorf(format string, args ...any) {
	if l.log != nil {
		l.log.Error(fmt.Sprintf(format, args...))
	}
}

// Fatalf must not return: Pebble calls it when it cannot determine which writes are durable.
func (l databaseLog) Fatalf(format string, args ...any) {
	l.Errorf(format, args...)
	panic("store: " + fmt.Sprintf(format, args...)) // invariant: Pebble would continue with a broken state if this returned
}
