package comet

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	dbm "github.com/cometbft/cometbft-db"
	"github.com/cometbft/cometbft/store"

	"makechain/internal/ident"
	"makechain/internal/validators"
)

// Why the blocks of a home cannot be opened.
var (
	// ErrRunning says that an engine has them.
	ErrRunning = errors.New("a node runs in this home")
	// ErrNoChain says that no engine ever ran there.
	ErrNoChain = errors.New("this home has no chain")
)

// Blocks are the blocks of a home in which no engine runs.
type Blocks struct {
	database dbm.DB
	blocks   *store.BlockStore
}

// Header is what a block says of itself beside its transactions.
type Header struct {
	Number uint64
	Time   uint64 // Unix seconds
	Hash   ident.Hash
	Parent ident.Hash // zero for block 1
	// RootBefore is the root of the state that the block builds on.
	RootBefore ident.Hash
}

// OpenBlocks opens the blocks of a home, which no engine can use until they are closed.
func OpenBlocks(home string) (opened *Blocks, err error) {
	defer recovered(&err)
	database, err := openExisting(home, blockDatabase)
	if err != nil {
		return nil, err
	}
	return &Blocks{database: database, blocks: store.NewBlockStore(database)}, nil
}

// openExisting opens a database of a home in which no engine runs.
func openExisting(home, name string) (dbm.DB, error) {
	directory := homePaths(home).DBDir()
	path := filepath.Join(directory, name+databaseSuffix)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoChain, home)
	}
	if halfMade, err := isHalfMade(path); halfMade || err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrNoChain, home), err)
	}
	opened, err := dbm.NewDB(name, database, directory)
	if errors.Is(err, syscall.EAGAIN) {
		return nil, fmt.Errorf("%w: %s", ErrRunning, home)
	}
	if err != nil {
		return nil, fmt.Errorf("open database %s in %s: %w", name, directory, err)
	}
	return opened, nil
}

// Base is the number of the first block that is kept, 0 when none is.
func (b *Blocks) Base() uint64 { return uint64(b.blocks.Base()) }

// Height is the number of the newest decided block.
func (b *Blocks) Height() uint64 { return uint64(b.blocks.Height()) }

// Transactions are the messages of a block in their order. They must be those that its header names.
func (b *Blocks) Transactions(number uint64) ([][]byte, error) {
	messages, _, err := b.Content(number)
	return messages, err
}

// Content is the messages of a block and the change of the validators that it ends with, nil when there is none.
func (b *Blocks) Content(number uint64) (messages [][]byte, change []byte, err error) {
	defer recovered(&err)
	height, _ := blockHeight(number)
	block := b.blocks.LoadBlock(height)
	if block == nil {
		return nil, nil, fmt.Errorf("block %d is missing", number)
	}
	if !bytes.Equal(block.Data.Hash(), block.DataHash) {
		return nil, nil, fmt.Errorf("the transactions of block %d are not those that its header names", number)
	}
	messages, change = validators.Split(block.Txs.ToSliceOfBytes())
	return messages, change, nil
}

// Header is that of a block. It must be the one that the block's hash names.
func (b *Blocks) Header(number uint64) (header Header, err error) {
	defer recovered(&err)
	height, _ := blockHeight(number)
	meta := b.blocks.LoadBlockMeta(height)
	if meta == nil {
		return header, fmt.Errorf("block %d is missing", number)
	}
	if meta.Header.Height != height || !bytes.Equal(meta.Header.Hash(), meta.BlockID.Hash) {
		return header, fmt.Errorf("the header of block %d does not have the block's hash", number)
	}
	header = Header{Number: number, Time: uint64(max(meta.Header.Time.Unix(), 0))}
	copy(header.Hash[:], meta.BlockID.Hash)
	copy(header.Parent[:], meta.Header.LastBlockID.Hash)
	copy(header.RootBefore[:], meta.Header.AppHash)
	return header, nil
}

// Close lets go of the blocks.
func (b *Blocks) Close() error {
	if err := b.database.Close(); err != nil {
		return fmt.Errorf("close the blocks: %w", err)
	}
	return nil
}
