package comet

import (
	"bytes"
	"fmt"

	dbm "github.com/cometbft/cometbft-db"
	"github.com/cometbft/cometbft/store"

	"makechain/internal/ident"
	"makechain/internal/validators"
)

// Blocks are the blocks of a home in which no engine runs.
type Blocks struct {
	database dbm.DB
	blocks   *store.BlockStore
}

// Header contains the fields of a block header that a check needs.
type Header struct {
	Number     uint64
	Time       uint64 // Unix seconds
	Hash       ident.Hash
	Parent     ident.Hash // zero for block 1
	RootBefore ident.Hash // of the state before the block
}

// OpenBlocks opens the blocks of a home. An engine cannot use the home until they are closed. It returns ErrLocked while an
// engine runs there, and ErrNoChain if none ever has.
func OpenBlocks(home string) (opened *Blocks, err error) {
	defer recovered(&err)
	database, err := openExisting(home, blockDatabase)
	if err != nil {
		return nil, err
	}
	return &Blocks{database: database, blocks: store.NewBlockStore(database)}, nil
}

// Base returns the number of the first stored block, 0 when there is none.
func (b *Blocks) Base() uint64 { return uint64(b.blocks.Base()) }

// Height returns the number of the newest block.
func (b *Blocks) Height() uint64 { return uint64(b.blocks.Height()) }

// Transactions returns the messages of a block in order. It checks them against the header.
func (b *Blocks) Transactions(number uint64) ([][]byte, error) {
	messages, _, err := b.Content(number)
	return messages, err
}

// Content returns the messages of a block and its change, nil when there is none. It checks them against the
// header.
func (b *Blocks) Content(number uint64) (messages [][]byte, change []byte, err error) {
	defer recovered(&err)
	height, _ := blockHeight(number)
	block := b.blocks.LoadBlock(height)
	if block == nil {
		return nil, nil, fmt.Errorf("block %d is missing", number)
	}
	if !bytes.Equal(block.Data.Hash(), block.DataHash) {
		return nil, nil, fmt.Errorf("the transactions of block %d do not match its header", number)
	}
	messages, change = validators.Split(block.Txs.ToSliceOfBytes())
	return messages, change, nil
}

// Header returns the header of a block. It checks it against the hash of the block.
func (b *Blocks) Header(number uint64) (header Header, err error) {
	defer recovered(&err)
	height, _ := blockHeight(number)
	meta := b.blocks.LoadBlockMeta(height)
	if meta == nil {
		return header, fmt.Errorf("block %d is missing", number)
	}
	if meta.Header.Height != height || !bytes.Equal(meta.Header.Hash(), meta.BlockID.Hash) {
		return header, fmt.Errorf("the header of block %d does not match its hash", number)
	}
	header = Header{Number: number, Time: uint64(max(meta.Header.Time.Unix(), 0))}
	copy(header.Hash[:], meta.BlockID.Hash)
	copy(header.Parent[:], meta.Header.LastBlockID.Hash)
	copy(header.RootBefore[:], meta.Header.AppHash)
	return header, nil
}

// Close closes the database.
func (b *Blocks) Close() error {
	if err := b.database.Close(); err != nil {
		return fmt.Errorf("close the blocks: %w", err)
	}
	return nil
}
