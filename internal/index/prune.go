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

// Limits on the work that is done with one block, so that pruning a long chain does not delay a block.
const (
	// PruneStep is the maximum number of blocks whose rows are pruned.
	PruneStep = 16
	// pruneMessages is the number of messages after which no further block is pruned. It allows two full blocks,
	// because otherwise a chain of full blocks would not be pruned faster than it grows.
	pruneMessages = ledger.MaxBlockMessages + 1
	// sweepStep is the number of rows that are visited in search of rows whose blocks are missing.
	sweepStep = 1_024
)

// pruneState records up to which block the rows of messages are pruned.
type pruneState struct {
	lowest uint64 // the lowest block whose rows are kept; 1 if none was pruned
	// sweepFrom is the key from which rows of earlier blocks may remain, nil if there are none.
	sweepFrom []byte
}

func (s pruneState) encode() []byte {
	return append(binary.BigEndian.AppendUint64(nil, s.lowest), s.sweepFrom...)
}

// decodePruneState decodes the row. A nil value means that nothing was pruned.
func decodePruneState(value []byte) (pruneState, error) {
	if value == nil {
		return pruneState{lowest: 1}, nil
	}
	if len(value) < 8 {
		return pruneState{}, fmt.Errorf("the prune state has %d bytes, want at least 8", len(value))
	}
	s := pruneState{lowest: binary.BigEndian.Uint64(value)}
	if s.lowest < 2 {
		return pruneState{}, fmt.Errorf("the lowest block is %d, want at least 2", s.lowest)
	}
	if len(value) > 8 {
		s.sweepFrom = bytes.Clone(value[8:])
	}
	return s, nil
}

// Prune returns a bounded number of index rows to delete of blocks before keep, and the lowest block whose rows remain
// afterwards. view is the view before the block with which the rows are deleted. Once the deletion is durable, the
// blocks before lowest may be deleted.
//
// If a crash separates the two, rows that were deleted before their block are not looked up again. Rows whose block was
// deleted first, which happens if the state is older than the blocks, are found by a sweep over all rows.
func Prune(view View, keep uint64, blocks Blocks) (rows []schema.Change, lowest uint64, err error) {
	b := &batch{view: view}
	before := b.get(pruneStateKey())
	current, err := decodePruneState(before)
	b.fail(err)
	next := b.sweep(current)
	if base := blocks.Base(); base > next.lowest {
		next = pruneState{lowest: base, sweepFrom: firstIndexKey()}
	}
	next.lowest = b.pruneBlocks(next.lowest, keep, blocks)
	if next.lowest > 1 {
		b.replace(pruneStateKey(), before, next.encode())
	}
	if b.err != nil {
		return nil, 0, fmt.Errorf("index: prune: %w", b.err)
	}
	return b.changes, next.lowest, nil
}

// pruneBlocks deletes the rows of blocks from first on, within the limits, and returns the first block whose rows
// remain.
func (b *batch) pruneBlocks(first, keep uint64, blocks Blocks) uint64 {
	messages := 0
	for at := first; b.err == nil; at++ {
		if at >= keep || at == first+PruneStep || messages >= pruneMessages {
			return at
		}
		transactions, err := blocks.Transactions(at)
		if err == nil && transactions == nil {
			err = errors.New("the block is missing")
		}
		if err != nil {
			b.fail(fmt.Errorf("read block %d: %w", at, err))
			break
		}
		for i, tx := range transactions {
			if m, refusal := message.Decode(tx); refusal == nil { // other transactions have no rows
				b.removeMessage(Position{Height: at, Index: uint32(i)}, m)
			}
		}
		messages += len(transactions)
	}
	return first
}

// removeMessage deletes the rows that addMessage added.
func (b *batch) removeMessage(at Position, m *message.Envelope) {
	if key := positionKey(m.Hash); bytes.Equal(b.get(key), at.Encode()) {
		b.remove(key)
	}
	b.remove(at.appendTo(accountKey(m.Owner, m.Type())))
	for _, project := range m.Projects() {
		b.remove(at.appendTo(projectKey(project, m.Type())))
	}
	var name []byte
	switch body := m.Data.GetBody().(type) {
	case *pb.MessageData_RefUpdate:
		name = body.RefUpdate.GetRefName()
	case *pb.MessageData_RefDelete:
		name = body.RefDelete.GetRefName()
	default:
		return
	}
	project, _ := m.Project() // a ref message always has one
	b.remove(at.appendTo(refLogKey(project, name)))
}

// sweep visits up to sweepStep rows and deletes those of blocks that are pruned.
func (b *batch) sweep(current pruneState) pruneState {
	if b.err != nil || current.sweepFrom == nil {
		return current
	}
	visited, next := 0, pruneState{lowest: current.lowest}
	err := b.view.Scan(current.sweepFrom, []byte{prefixRefLog + 1}, func(key, value []byte) bool {
		if visited == sweepStep {
			next.sweepFrom = bytes.Clone(key)
			return false
		}
		visited++
		at, err := rowPosition(key, value)
		b.fail(err)
		if err == nil && at.Height < current.lowest {
			b.remove(slices.Clone(key))
		}
		return err == nil
	})
	b.fail(err)
	return next
}

// rowPosition returns the position of the message to which a row belongs.
func rowPosition(key, value []byte) (Position, error) {
	if key[0] == prefixPosition {
		return DecodePosition(value)
	}
	if len(key) < 1+positionSize {
		return Position{}, fmt.Errorf("row %x has no position", key)
	}
	return keyPosition(key), nil
}
