package rpc_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/cometbft/cometbft/types"

	pb "makechain/gen/makechain"
	"makechain/internal/feed"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/internal/rpc"
	"makechain/internal/store"
	"makechain/proof"
)

// snapshot is a store's snapshot as the service sees it.
type snapshot struct{ *store.Snapshot }

// pool is the mempool as the service sees it.
type pool struct {
	*mempool.Pool
	node *node
}

func (p pool) Status(hash ident.Hash) (*pb.GetMessageStatusResponse, error) {
	status, err := p.Pool.Status(hash)
	return p.status(hash, status, err)
}

func (p pool) Wait(ctx context.Context, hash ident.Hash) (*pb.GetMessageStatusResponse, error) {
	status, err := p.Pool.Wait(ctx, hash)
	return p.status(hash, status, err)
}

func (pool) status(hash ident.Hash, status mempool.Status, err error) (*pb.GetMessageStatusResponse, error) {
	answer := &pb.GetMessageStatusResponse{
		Hash: hash[:], State: pb.MessageState(status.State), BlockNumber: status.Height, Index: status.Index,
	}
	if !status.SeenAt.IsZero() {
		answer.SeenAt = uint64(status.SeenAt.Unix())
	}
	if status.Refusal != nil {
		answer.Stage, answer.Code, answer.Error = string(status.Refusal.Stage), string(status.Refusal.Code), status.Refusal.Reason
	}
	return answer, err
}

func (p pool) Info() *pb.GetMempoolInfoResponse {
	info := p.Pool.Info()
	answer := &pb.GetMempoolInfoResponse{
		Total: uint32(info.Total), Capacity: uint32(info.Capacity),
		AccountMessages: uint32(info.AccountMessages), ProjectMessages: uint32(info.ProjectMessages),
		OldestTimestamp: info.OldestTimestamp, NewestTimestamp: info.NewestTimestamp,
	}
	for _, t := range slices.Sorted(maps.Keys(info.ByType)) {
		answer.TypeBreakdown = append(answer.TypeBreakdown, &pb.MempoolTypeCount{MessageType: t, Count: info.ByType[t]})
	}
	return answer
}

// stream is the feed as the service sees it.
type stream struct{ *feed.Feed }

func (s stream) Messages(ctx context.Context, req *pb.SubscribeRequest, begun func() error, send func(*pb.Message) error) error {
	filter := feed.Filter{Types: req.GetTypes()}
	if project, ok := ident.HashFrom(req.GetProjectId()); ok {
		filter.Project = &project
	}
	if owner, ok := ident.AddressFrom(req.GetOwnerAddress()); ok {
		filter.Owner = &owner
	}
	var from *feed.Position
	if req.StartBlock != nil {
		from = &feed.Position{Height: req.GetStartBlock(), Index: req.GetStartIndex()}
	}
	messages, err := s.Feed.SubscribeMessages(from, filter)
	if err == nil {
		err = begun()
	}
	for err == nil {
		var item feed.Item
		if item, err = messages.Next(ctx); err == nil {
			m := item.Message.Proto()
			m.BlockNumber, m.Index = item.Height, item.Index
			err = send(m)
		}
	}
	return feedError(err)
}

func (s stream) Blocks(ctx context.Context, from *uint64, begun func() error, send func(uint64) error) error {
	blocks, err := s.Feed.SubscribeBlocks(from)
	if err == nil {
		err = begun()
	}
	for err == nil {
		var height uint64
		if height, err = blocks.Next(ctx); err == nil {
			err = send(height)
		}
	}
	return feedError(err)
}

func feedError(err error) error {
	var position *feed.PositionError
	switch {
	case errors.As(err, &position):
		return &rpc.PositionError{Lowest: position.Lowest, Latest: position.Latest}
	case errors.Is(err, feed.ErrClosed):
		return rpc.ErrStopping
	default:
		return err
	}
}

// blocks is the record of blocks that consensus would keep.
type blocks struct {
	mu     sync.Mutex // guards what follows
	status rpc.ChainStatus
	base   uint64
	kept   []*pb.GetBlockResponse // by height, from genesis on
	txs    [][][]byte
}

func newBlocks() *blocks {
	b := &blocks{status: rpc.ChainStatus{ChainID: "test-1", Peers: 3, ValidatorKey: []byte("validator")}}
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
		payload.AccountMessages = append(payload.AccountMessages, m) // grouping them is the engine's business
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

// prune forgets the blocks below a height.
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

// LightBlock is only told apart from others here; what is in a real one, the engine's own tests look at.
func (b *blocks) LightBlock(height uint64) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.has(height) {
		return nil, nil
	}
	return fmt.Appendf(nil, "light block %d", height), nil
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

func (b *blocks) Status() rpc.ChainStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status
}
