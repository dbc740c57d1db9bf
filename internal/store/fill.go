package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"makechain/internal/merkle"
)

const (
	// fillTableBytes is the size of the rows of one table file of a Filler, before compression.
	fillTableBytes = 128 << 20
	// fillLevel is the level that table files are written for: the last one, because they are ingested into an empty database.
	fillLevel = 6
)

// Filler writes a store with rows that no block wrote, for load tests of large states: it writes table files in key order and adds
// them to a new database, so that nothing is compacted. No node uses it. It is for one goroutine.
type Filler struct {
	dir     string
	options *pebble.Options
	table   *sstable.Writer // nil if none is open
	bytes   int             // of its rows
	tables  []string        // paths
	last    []byte          // key of the last row
}

// NewFiller starts a store in a directory, which must exist and be empty. The store can be opened after Finish.
func NewFiller(dir string) (*Filler, error) {
	options := Options{}.PebbleOptions()
	options.ErrorIfExists = true
	options.EnsureDefaults()
	return &Filler{dir: dir, options: options}, nil
}

// Add adds a row: of the state, derived or of an index. Keys must ascend.
func (f *Filler) Add(key, value []byte) error {
	if bytes.Compare(key, firstRow()) < 0 || bytes.Compare(key, f.last) <= 0 {
		return fmt.Errorf("%w: key %x after %x", ErrPrefix, key, f.last)
	}
	f.last = append(f.last[:0], key...)
	if f.table == nil {
		if err := f.create(); err != nil {
			return err
		}
	}
	if err := f.table.Set(key, value); err != nil {
		return fmt.Errorf("write row %x: %w", key, err)
	}
	if f.bytes += len(key) + len(value); f.bytes < fillTableBytes {
		return nil
	}
	return f.closeTable()
}

// create opens the next table file.
func (f *Filler) create() error {
	path := filepath.Join(f.dir, fmt.Sprintf("fill-%06d", len(f.tables)))
	file, err := vfs.Default.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("create a table file: %w", err)
	}
	format := f.options.FormatMajorVersion.MaxTableFormat()
	f.table = sstable.NewWriter(objstorageprovider.NewFileWritable(file), f.options.MakeWriterOptions(fillLevel, format))
	f.tables = append(f.tables, path)
	return nil
}

func (f *Filler) closeTable() error {
	if f.table == nil {
		return nil
	}
	err := f.table.Close()
	f.table, f.bytes = nil, 0
	if err != nil {
		return fmt.Errorf("write a table file: %w", err)
	}
	return nil
}

// Finish makes the rows the state at a height, which is durable when it returns. The root is not verified: Open does that. The
// filler must not be used any more.
func (f *Filler) Finish(ctx context.Context, height uint64, root merkle.Hash) error {
	if err := f.closeTable(); err != nil {
		return err
	}
	db, err := pebble.Open(f.dir, f.options)
	if err != nil {
		return fmt.Errorf("create the store in %s: %w", f.dir, err)
	}
	if len(f.tables) > 0 {
		err = db.Ingest(ctx, f.tables)
	}
	if err == nil {
		h := head{height: height, root: root}
		err = db.Set(headKey(), h.encode(), pebble.Sync)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("fill the store in %s: %w", f.dir, err)
	}
	return nil
}
