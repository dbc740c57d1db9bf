package rpc_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/cometbft/cometbft/types"

	pb "makechain/gen/makechain"
	"makechain/internal/consensus"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/proof"
)

// blocks is the block store of a consensus engine, in memory.
type blocks struct {
	mu     sync.Mutex // guards what follows
	status consensus.Status
	base   uint64
	// decided means that the block after the newest one has a light block.
	decided bool
	kept    []*pb.GetBlockResponse // by height, from genesis on
	txs     [][][]byte
}

func newBlocks() *blocks {
	b := &blocks{status: consensus.Status{ChainID: "test-1", Peers: 3, ValidatorKey: []byte("validator")}}
	genesis := &ledger.Committed{Block: ledger.Block{Time: ledgertest.Start}, Root: proof.EmptyRoot()}
	b.add(genesis)
	b.kept[0].Block.Hash = make([]byte, ident.HashSize)
	return b
}

func (b *blocks) add(block *ledger.Committed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	txs, payload := [][]byte{}, &pb.ExecutionPayload{Timestamp: block.Time, BlockNumber: block.Height}
	for i, applied := range block.Applied {
		txs = append(txs, applied.Message.Transaction())
		m := applied.Message.Proto()
		m.BlockNumber, m.Index = block.Height, uint32(i)
		payload.AccountMessages = append(payload.AccountMessages, m) // the engine would separate project messages
	}
	hash := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("block"), block.Height))
	parent := make([]byte, ident.HashSize)
	if block.Height > 0 {
		parent = b.kept[block.Height-1].GetBlock().GetHash()
	}
	header := &pb.BlockHeader{
		Height: &pb.Height{BlockNumber: block.Height}, Timestamp: block.Time, Version: 6, ChainId: ledgertest.Network,
		ParentHash: parent, StateRoot: block.Root[:], TransactionsRoot: types.ToTxs(txs).Hash(),
	}
	b.kept = append(b.kept, &pb.GetBlockResponse{Block: &pb.Block{Header: header, Hash: hash[:]}, ExecutionPayload: payload})
	b.txs = append(b.txs, txs)
}

// prune deletes the blocks below a height.
func (b *blocks) prune(base uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.base = base
}

func (b *blocks) has(height uint64) bool {
	return height < uint64(len(b.kept)) && (height >= b.base || height == 0)
}

func (b *blocks) Block(height uint64) (*pb.GetBlockResponse, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.has(height) {
		return nil, nil
	}
	return b.kept[height], nil
}

func (b *blocks) Transactions(height uint64) ([][]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.has(height) {
		return nil, nil
	}
	return b.txs[height], nil
}

// LightBlock returns a placeholder; the tests of the engine check real light blocks.
func (b *blocks) LightBlock(height uint64) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.has(height) && (!b.decided || height != uint64(len(b.kept))) {
		return nil, nil
	}
	return fmt.Appendf(nil, "light block %d", height), nil
}

// decideNext makes the block after the newest one decided but not executed, from now on: its light block exists.
func (b *blocks) decideNext() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.decided = true
}

func (b *blocks) InclusionProof(height uint64, place uint32) (encoded, root []byte, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.has(height) {
		return nil, nil, nil
	}
	included := types.ToTxs(b.txs[height]).Proof(int(place))
	encoded, err = included.Proof.ToProto().Marshal()
	return encoded, included.RootHash, err
}

// setLag sets the number of blocks that the node is behind; it is catching up unless that is 0.
func (b *blocks) setLag(behind uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.CatchingUp, b.status.Behind = behind > 0, behind
}

func (b *blocks) Base() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.base
}

func (b *blocks) Height() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return uint64(len(b.kept) - 1)
}

func (b *blocks) Status() consensus.Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status
}
