package rpc

import (
	"context"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/limit"
)

const (
	// costStep is the cost that a snapshot adds up before it is charged.
	costStep = time.Millisecond
	// inclusionCost is the cost of hashing the transactions of a block to prove one of them, which may be a full block.
	inclusionCost = 2 * time.Millisecond
)

// A meteredSnapshot charges what is read from a snapshot to the client of a call. Reads fail when the client has exceeded
// its budget.
type meteredSnapshot struct {
	Snapshot

	ctx  context.Context //nolint:containedctx // of the call, which the snapshot does not outlive
	cost time.Duration   // not charged yet
}

// Get is part of Snapshot, like the methods below.
func (m *meteredSnapshot) Get(key []byte) ([]byte, error) {
	value, err := m.Snapshot.Get(key)
	if err == nil {
		err = m.add(limit.CostRow, len(value))
	}
	return value, err
}

func (m *meteredSnapshot) Neighbours(key []byte) (left, right []byte, err error) {
	left, right, err = m.Snapshot.Neighbours(key)
	if err == nil {
		err = m.add(2*limit.CostRow, 0)
	}
	return left, right, err
}

func (m *meteredSnapshot) Scan(lower, upper []byte, fn func(key, value []byte) bool) error {
	var exceeded error
	err := m.Snapshot.Scan(lower, upper, func(key, value []byte) bool {
		exceeded = m.add(limit.CostRow, len(key)+len(value))
		return exceeded == nil && fn(key, value)
	})
	if exceeded != nil {
		return exceeded
	}
	return err
}

func (m *meteredSnapshot) Close() error {
	limit.Charge(m.ctx, m.cost)
	return m.Snapshot.Close()
}

// add adds a cost. It returns an error when the call has to end.
func (m *meteredSnapshot) add(cost time.Duration, bytes int) error {
	m.cost += cost + time.Duration(bytes)*limit.CostByte
	if m.cost < costStep {
		return nil
	}
	limit.Charge(m.ctx, m.cost)
	m.cost = 0
	return limit.Check(m.ctx)
}

// transactions reads the transactions of a block, nil when it is not stored. Their decoding is not charged.
func (s *Service) transactions(ctx context.Context, height uint64) ([][]byte, error) {
	txs, err := s.Chain.Transactions(height)
	if txs == nil || err != nil {
		return nil, err
	}
	limit.Charge(ctx, limit.CostBlock+time.Duration(sizeOf(txs))*limit.CostByte)
	return txs, limit.Check(ctx)
}

// storedBlock reads a block, nil when it is not stored.
func (s *Service) storedBlock(ctx context.Context, number uint64) (*pb.GetBlockResponse, error) {
	block, err := s.Chain.Block(number)
	if block == nil || err != nil {
		return nil, err
	}
	chargeBlock(ctx, block)
	return block, limit.Check(ctx)
}

// chargeBlock charges the cost of reading a block.
func chargeBlock(ctx context.Context, block *pb.GetBlockResponse) {
	payload := block.GetExecutionPayload()
	messages := len(payload.GetAccountMessages())
	for _, project := range payload.GetProjectMessages() {
		messages += len(project.GetMessages())
	}
	limit.Charge(ctx, limit.CostBlock+time.Duration(messages)*limit.CostTransaction)
}
