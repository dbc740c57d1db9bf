package node

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/abci"
	"makechain/internal/comet"
	"makechain/internal/feed"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/mempool"
	"makechain/internal/rpc"
	"makechain/internal/schema"
	"makechain/internal/store"
	"makechain/message"
)

// Adapters do not know one another, so each says in its own words what it needs. Here the words meet.

// state is the store as the application sees it, with its work timed.
type state struct {
	store   *store.Store
	metrics *metrics
}

func (s state) Snapshot() abci.Snapshot { return s.store.Snapshot() }

func (s state) Stage(changes []schema.Change) (abci.Staged, error) {
	begin := time.Now()
	block, err := s.store.Stage(changes)
	if err != nil {
		return nil, err
	}
	s.metrics.treeSeconds.Observe(time.Since(begin).Seconds())
	return staged{block, s.metrics}, nil
}

type staged struct {
	*store.Staged
	metrics *metrics
}

func (s staged) Commit(height uint64, rows ...schema.Change) error {
	begin := time.Now()
	if err := s.Staged.Commit(height, rows...); err != nil {
		return err
	}
	s.metrics.commitSeconds.Observe(time.Since(begin).Seconds())
	return nil
}

// indexer is the index as the application sees it. What the pool refused becomes durable with the next block.
type indexer struct {
	pool *mempool.Pool
}

func (i indexer) Rows(view ledger.View, block *ledger.Committed) ([]schema.Change, error) {
	return index.Rows(view, block, i.pool.DrainRefused())
}

// view is a store's snapshot as the service and its proofs see it.
type view struct {
	*store.Snapshot
}

// position finds a committed message for the pool.
func (n *Node) position(hash ident.Hash) (height uint64, place uint32, found bool, err error) {
	latest := n.store.Snapshot()
	at, found, err := index.NewReader(latest).Position(hash)
	return at.Height, at.Index, found, errors.Join(err, latest.Close())
}

// broadcast hands a message that the pool took in to the engine. The engine asks the pool about it again, and
// is told no when the message has got into a block meanwhile: then there is nothing left to hand over.
func (n *Node) broadcast(tx []byte) error {
	if err := n.engine.Submit(tx); err != nil && !errors.Is(err, comet.ErrRefused) {
		return err
	}
	return nil
}

// pool is the mempool as the service sees it.
type pool struct {
	*mempool.Pool
	node *Node
}

func (p pool) SubmitBatch(ctx context.Context, messages []*message.Envelope) ([]*message.Refusal, error) {
	verdicts, err := p.Pool.SubmitBatch(ctx, messages)
	for i, refusal := range verdicts {
		p.node.metrics.verdict(messages[i], refusal)
	}
	if err != nil && slices.Contains(verdicts, nil) {
		// The client is told verdicts instead.
		p.node.config.Log.ErrorContext(ctx, "a batch was taken in only in part", "error", err)
	}
	return verdicts, err
}

func (p pool) Status(hash ident.Hash) (*pb.GetMessageStatusResponse, error) {
	status, err := p.Pool.Status(hash)
	if err != nil {
		return nil, err
	}
	return p.status(hash, status)
}

func (p pool) Wait(ctx context.Context, hash ident.Hash) (*pb.GetMessageStatusResponse, error) {
	status, err := p.Pool.Wait(ctx, hash)
	if err != nil {
		return nil, err
	}
	return p.status(hash, status)
}

// status is a fate as it is served. What the pool has forgotten, or did not live to see, the index may know.
func (p pool) status(hash ident.Hash, status mempool.Status) (*pb.GetMessageStatusResponse, error) {
	answer := &pb.GetMessageStatusResponse{
		Hash: hash[:], State: pb.MessageState(status.State), BlockNumber: status.Height, Index: status.Index,
	}
	if !status.SeenAt.IsZero() {
		answer.SeenAt = uint64(status.SeenAt.Unix())
	}
	if status.Refusal != nil {
		answer.Stage, answer.Code, answer.Error = string(status.Refusal.Stage), string(status.Refusal.Code), status.Refusal.Reason
	}
	if status.State != mempool.Unknown {
		return answer, nil
	}
	latest := p.node.store.Snapshot()
	refused, err := index.NewReader(latest).Refusal(hash)
	if err = errors.Join(err, latest.Close()); err != nil || refused == nil {
		return answer, err
	}
	answer.State = pb.MessageState_MESSAGE_STATE_REFUSED
	answer.Stage, answer.Code, answer.Error = string(refused.Stage), string(refused.Code), refused.Reason
	return answer, nil
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

// chain is the engine as the service sees it.
type chain struct {
	*comet.Engine
	store *store.Store
}

func (c chain) Status() rpc.ChainStatus {
	s := c.Engine.Status()
	origin, err := c.store.RestoredHeight()
	return rpc.ChainStatus{
		ChainID: s.ChainID, CatchingUp: s.CatchingUp, Behind: s.Behind, Peers: s.Peers, ValidatorKey: s.ValidatorKey,
		FromSnapshot: origin > 0 || err != nil, // a node that cannot tell does not say that it verified everything
	}
}

// blockSource is the engine as the feed sees it. The feed is made first and asks only when somebody subscribes.
type blockSource struct {
	node *Node
}

func (b blockSource) Base() uint64 { return b.node.engine.Base() }

func (b blockSource) Transactions(height uint64) ([][]byte, error) {
	return b.node.engine.Transactions(height)
}

// stream is the feed as the service sees it.
type stream struct {
	feed *feed.Feed
}

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
	messages, err := s.feed.SubscribeMessages(from, filter)
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
	return streamEnd(err)
}

func (s stream) Blocks(ctx context.Context, from *uint64, begun func() error, send func(height uint64) error) error {
	blocks, err := s.feed.SubscribeBlocks(from)
	if err == nil {
		err = begun()
	}
	for err == nil {
		var height uint64
		if height, err = blocks.Next(ctx); err == nil {
			err = send(height)
		}
	}
	return streamEnd(err)
}

// streamEnd says in the service's words why a stream ended.
func streamEnd(err error) error {
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
