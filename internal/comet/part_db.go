package comet

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	dbm "github.com/cometbft/cometbft-db"
	cmtstore "github.com/cometbft/cometbft/proto/tendermint/store"
)

// partDB is the database of blocks. The parts of blocks, which are almost all of its bytes, are in partFiles, and LevelDB has
// their positions: LevelDB would write each part to its journal, to a table and again in several compactions. Parts that
// older versions stored in LevelDB are read from there.
//
// A write is durable when LevelDB's would be: parts become durable before their positions do.
type partDB struct {
	*dbm.GoLevelDB

	parts *partFiles
}

// openPartDB adds part files in the directory of a database to it, and removes those of pruned blocks.
func openPartDB(database *dbm.GoLevelDB, directory string) (*partDB, error) {
	parts, err := openPartFiles(directory, partFileBytes)
	if err != nil {
		return nil, err
	}
	d := &partDB{GoLevelDB: database, parts: parts}
	state, err := database.Get(blockStoreKey())
	if err != nil {
		return nil, err
	}
	return d, d.removePruned(state)
}

// blockStoreKey is CometBFT's key of the first and last height of the stored blocks.
func blockStoreKey() []byte { return []byte("blockStore") }

// partHeight returns the height in CometBFT's key of a block part, P:height:index.
func partHeight(key []byte) (height int64, ok bool) {
	rest, ok := bytes.CutPrefix(key, []byte("P:"))
	if !ok {
		return 0, false
	}
	digits, _, ok := bytes.Cut(rest, []byte(":"))
	if !ok {
		return 0, false
	}
	height, err := strconv.ParseInt(string(digits), 10, 64)
	return height, err == nil && height > 0
}

// removePruned removes the files of blocks that are pruned according to the value at blockStoreKey.
func (d *partDB) removePruned(value []byte) error {
	var state cmtstore.BlockStoreState
	if err := state.Unmarshal(value); err != nil {
		return fmt.Errorf("decode the state of the block store: %w", err)
	}
	return d.parts.removeBelow(state.Base)
}

// Get returns the value at a key, nil when there is none.
func (d *partDB) Get(key []byte) ([]byte, error) {
	value, err := d.GoLevelDB.Get(key)
	if _, isPart := partHeight(key); !isPart || err != nil {
		return value, err
	}
	at, inFile := decodePartPosition(value)
	if !inFile {
		return value, nil
	}
	part, err := d.parts.read(at)
	if !errors.Is(err, fs.ErrNotExist) {
		return part, err
	}
	// The block may have been pruned since its position was read.
	if again, readErr := d.GoLevelDB.Get(key); readErr != nil || again == nil {
		return nil, readErr
	}
	return nil, err
}

// stored returns what LevelDB stores for a value: the position of a part, which is appended to the files, or the value.
func (d *partDB) stored(key, value []byte) ([]byte, error) {
	height, isPart := partHeight(key)
	if !isPart {
		return value, nil
	}
	at, err := d.parts.append(height, value)
	if err != nil {
		return nil, err
	}
	return at.encode(), nil
}

// Set writes a value. It is durable after the next synchronous write.
func (d *partDB) Set(key, value []byte) error {
	value, err := d.stored(key, value)
	if err != nil {
		return err
	}
	return d.GoLevelDB.Set(key, value)
}

// SetSync writes a value and makes it and all values before it durable.
func (d *partDB) SetSync(key, value []byte) error {
	value, err := d.stored(key, value)
	if err != nil {
		return err
	}
	if err := d.parts.sync(); err != nil {
		return err
	}
	return d.GoLevelDB.SetSync(key, value)
}

// NewBatch returns an empty batch.
func (d *partDB) NewBatch() dbm.Batch { return &partBatch{Batch: d.GoLevelDB.NewBatch(), database: d} }

// Close closes the database and its part files.
func (d *partDB) Close() error { return errors.Join(d.parts.close(), d.GoLevelDB.Close()) }

// partBatch is a batch of a partDB.
type partBatch struct {
	dbm.Batch

	database *partDB
	state    []byte // the value at blockStoreKey, nil if the batch does not write it
}

// Set adds a value to the batch.
func (b *partBatch) Set(key, value []byte) error {
	if bytes.Equal(key, blockStoreKey()) {
		b.state = value
	}
	value, err := b.database.stored(key, value)
	if err != nil {
		return err
	}
	return b.Batch.Set(key, value)
}

// WriteSync writes the batch and makes it and everything before it durable, then removes the files of blocks that it prunes.
func (b *partBatch) WriteSync() error {
	if err := b.database.parts.sync(); err != nil {
		return err
	}
	if err := b.Batch.WriteSync(); err != nil {
		return err
	}
	if b.state == nil {
		return nil
	}
	return b.database.removePruned(b.state)
}
