package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// How much is pruned with one block. It is little, so that no block pays for a chain that has grown old.
const (
	// PruneStep is how many blocks lose their rows at most.
	PruneStep = 16
	// pruneMessages is after how many messages no further block does. Two full blocks can, or a chain of full
	// blocks would never be pruned faster than it grows.
	pruneMessages = ledger.MaxBlockMessages + 1
	// sweepStep is how many rows are visited in search of those whose blocks are gone already.
	sweepStep = 1_024
)

// horizon is how far the rows of messages are pruned.
type horizon struct {
	lowest uint64 // block whose rows are kept; 1 while all are
	// rest is the first key behind which rows of earlier blocks may be left, nil when there are none.
	rest []byte
}

func (h horizon) encode() []byte {
	return append(binary.BigEndian.AppendUint64(nil, h.lowest), h.rest...)
}

// decodeHorizon reads the row of the horizon. Without a row nothing was pruned.
func decodeHorizon(value []byte) (horizon, error) {
	if value == nil {
		return horizon{lowest: 1}, nil
	}
	if len(value) < 8 {
		return horizon{}, fmt.Errorf("the horizon has %d bytes", len(value))
	}
	h := horizon{lowest: binary.BigEndian.Uint64(value)}
	if h.lowest < 2 {
		return horizon{}, fmt.Errorf("the horizon is block %d", h.lowest)
	}
	if len(value) > 8 {
		h.rest = bytes.Clone(value[8:])
	}
	return h, nil
}

// Prune gives the index rows to delete so that in time those of all blocks before keep are gone, and the lowest
// block whose rows are left. The view is the one before the block with which they are deleted, and blocks are those
// that are kept: they may be dropped up to the lowest once the rows are.
//
// A crash can come between the two. Rows that went before their block are not looked for again; rows whose block
// went first, which takes a state that is older than the blocks, are found by looking through all there are.
func Prune(view View, keep uint64, blocks Blocks) (rows []schema.Change, lowest uint64, err error) {
	b := &batch{view: view}
	before := b.get(horizonKey())
	now, err := decodeHorizon(before)
	b.fail(err)
	next := b.sweep(now)
	if base := blocks.Base(); base > next.lowest {
		next = horizon{lowest: base, rest: firstIndexKey()}
	}
	next.lowest = b.pruneBlocks(next.lowest, keep, blocks)
	if next.lowest > 1 {
		b.replace(horizonKey(), before, next.encode())
	}
	if b.err != nil {
		return nil, 0, fmt.Errorf("index: prune: %w", b.err)
	}
	return b.changes, next.lowest, nil
}

// pruneBlocks deletes the rows of a few blocks, and gives the first whose rows stay.
func (b *batch) pruneBlocks(first, keep uint64, blocks Blocks) uint64 {
	messages := 0
	for at := first; b.err == nil; at++ {
		if at >= keep || at == first+PruneStep || messages >= pruneMessages {
			return at
		}
		transactions, err := blocks.Transactions(at)
		if err == nil && transactions == nil {
			err = errors.New("it is missing")
		}
		if err != nil {
			b.fail(fmt.Errorf("read block %d: %w", at, err))
			break
		}
		b.removeBlock(at, transactions)
		messages += len(transactions)
	}
	return first
}

// removeBlock deletes what the messages of a block left. What is no message left nothing.
func (b *batch) removeBlock(height uint64, transactions [][]byte) {
	for i, tx := range transactions {
		if m, refusal := message.Decode(tx); refusal == nil {
			b.removeMessage(Position{Height: height, Index: uint32(i)}, m)
		}
	}
}

// removeMessage undoes addMessage and addRefChange.
func (b *batch) removeMessage(at Position, m *message.Envelope) {
	if key := positionKey(m.Hash); bytes.Equal(b.get(key), at.encode()) {
		b.remove(key)
	}
	b.remove(at.appendPlace(accountKey(m.Owner, m.Type())))
	for _, project := range m.Projects() {
		b.remove(at.appendPlace(projectKey(project, m.Type())))
	}
	if name := refOf(m); name != nil {
		project, _ := m.Project() // a ref message always has one
		b.remove(at.appendPlace(refLogKey(project, name)))
	}
}

// refOf is the name of the ref that a message moves or deletes, nil when it does neither.
func refOf(m *message.Envelope) []byte {
	switch body := m.Data.GetBody().(type) {
	case *pb.MessageData_RefUpdate:
		return body.RefUpdate.GetRefName()
	case *pb.MessageData_RefDelete:
		return body.RefDelete.GetRefName()
	default:
		return nil
	}
}

// sweep visits a few rows and deletes those of blocks before the horizon.
func (b *batch) sweep(now horizon) horizon {
	if b.err != nil || now.rest == nil {
		return now
	}
	visited, next := 0, horizon{lowest: now.lowest}
	err := b.view.Scan(now.rest, []byte{prefixRefLog + 1}, func(key, value []byte) bool {
		if visited == sweepStep {
			next.rest = bytes.Clone(key)
			return false
		}
		visited++
		at, err := rowPosition(key, value)
		b.fail(err)
		if err == nil && at.Height < now.lowest {
			b.remove(slices.Clone(key))
		}
		return err == nil
	})
	b.fail(err)
	return next
}

// rowPosition is the position of the message that a row was left by.
func rowPosition(key, value []byte) (Position, error) {
	if key[0] == prefixPosition {
		return decodePosition(value)
	}
	if len(key) < 1+placeSize {
		return Position{}, fmt.Errorf("row %x has no place", key)
	}
	return placeOf(key), nil
}
