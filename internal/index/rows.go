package index

import (
	"bytes"
	"fmt"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// Rows gives the index rows that a block adds and deletes, no key twice. The view is the one before the block,
// of state and indexes alike. Refused are the messages that this node found to be refused since the block
// before, and has taken in earlier; other nodes know of others.
func Rows(view ledger.View, block *ledger.Committed, refused []ledger.Refused) ([]schema.Change, error) {
	rows, err := blockRows(view, block, refused, retention{ttl: uint64(RefusalTTL / time.Second), count: MaxRefusals})
	if err != nil {
		return nil, fmt.Errorf("index block %d: %w", block.Height, err)
	}
	return rows, nil
}

func blockRows(view View, block *ledger.Committed, refused []ledger.Refused, keep retention) ([]schema.Change, error) {
	b := &batch{view: view, changes: make([]schema.Change, 0, rowsPerMessage*len(block.Applied))}
	for i, applied := range block.Applied {
		at := Position{Height: block.Height, Index: uint32(i)}
		b.addMessage(at, applied.Message)
		if ref := applied.Effects.Ref; ref != nil {
			b.addRefChange(at, applied.Message, ref)
		}
	}
	b.addNames(block.Changes)
	b.addStats(block)
	b.addRefusals(block.Block, refused, keep)
	return b.changes, b.err
}

// rowsPerMessage is the room to make for the rows of one message: a few more than most leave.
const rowsPerMessage = 4

// batch collects rows. The first failure sticks.
type batch struct {
	view    View
	changes []schema.Change
	err     error
}

func (b *batch) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// get reads a row of the view, nil when it is absent or nothing can be read any more.
func (b *batch) get(key []byte) []byte {
	if b.err != nil {
		return nil
	}
	value, err := b.view.Get(key)
	b.fail(err)
	return value
}

// insert adds a row that was not there.
func (b *batch) insert(key, value []byte) {
	b.changes = append(b.changes, schema.Change{Key: key, Value: value})
}

// replace writes a row that may have had another value.
func (b *batch) replace(key, before, value []byte) {
	if !bytes.Equal(before, value) {
		b.changes = append(b.changes, schema.Change{Key: key, Value: value, Existed: before != nil})
	}
}

// remove deletes a row that was there.
func (b *batch) remove(key []byte) {
	b.changes = append(b.changes, schema.Change{Key: key, Existed: true})
}

// addMessage adds what follows from a message and its position alone.
func (b *batch) addMessage(at Position, m *message.Envelope) {
	b.insert(positionKey(m.Hash), at.encode())
	b.insert(at.appendPlace(accountKey(m.Owner, m.Type())), schema.Present)
	for _, project := range m.Projects() {
		b.insert(at.appendPlace(projectKey(project, m.Type())), schema.Present)
	}
}

// addRefChange adds a line to a ref's log.
func (b *batch) addRefChange(at Position, m *message.Envelope, ref *ledger.RefChange) {
	value, err := schema.Encode(&pb.RefLogEntry{
		OldHash: unlessZero(ref.Old), NewHash: unlessZero(ref.New), Timestamp: m.Data.GetTimestamp(),
		Force: ref.Force, Nonce: ref.Nonce, OwnerAddress: m.Owner[:],
	})
	b.fail(err)
	b.insert(at.appendPlace(refLogKey(ref.Project, ref.Name)), value)
}
