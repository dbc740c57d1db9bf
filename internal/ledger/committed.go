package ledger

import (
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// Committed is a decided block and what it did: what indexes, feeds and the mempool are told of it.
type Committed struct {
	Block

	Hash    ident.Hash // the consensus engine's hash of the block
	Root    [32]byte   // of the state after it
	Applied []Applied
	Changes []schema.Change
}
