package index

import (
	"bytes"
	"fmt"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// Rows returns the index rows that a block adds and deletes, each key once. view is the view of state and indexes before
// the block. refused are the admitted messages that this node refused since the previous block; other nodes may have
// refused others.
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
		b.addMessage(Position{Height: block.Height, Index: uint32(i)}, applied.Message, applied.Effects.Ref)
	}
	b.addNames(block.Changes)
	b.addForks(block.Changes)
	b.addStats(block)
	b.addRefusals(block.Block, refused, keep)
	return b.changes, b.err
}

// rowsPerMessage is the capacity reserved for the rows of one message.
const rowsPerMessage = 4

// batch collects changes of rows. After the first failed read err is set and nothing is read any more.
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

// get reads a row of the view. It returns nil when the row is absent or err is set.
func (b *batch) get(key []byte) []byte {
	if b.err != nil {
		return nil
	}
	value, err := b.view.Get(key)
	b.fail(err)
	return value
}

// insert adds a row that did not exist.
func (b *batch) insert(key, value []byte) {
	b.changes = append(b.changes, schema.Change{Key: key, Value: value})
}

// replace writes a row whose value was before, nil if it did not exist.
func (b *batch) replace(key, before, value []byte) {
	if !bytes.Equal(before, value) {
		b.changes = append(b.changes, schema.Change{Key: key, Value: value, Existed: before != nil})
	}
}

// remove deletes a row that existed.
func (b *batch) remove(key []byte) {
	b.changes = append(b.changes, schema.Change{Key: key, Existed: true})
}

// addMessage adds the rows of a message: its position, activity and, if it changed a ref, the entry of the ref log.
func (b *batch) addMessage(at Position, m *message.Envelope, ref *ledger.RefChange) {
	b.insert(positionKey(m.Hash), at.Encode())
	b.insert(at.appendTo(accountKey(m.Owner, m.Type())), schema.Present)
	for _, project := range m.Projects() {
		b.insert(at.appendTo(projectKey(project, m.Type())), schema.Present)
	}
	if ref == nil {
		return
	}
	value, err := schema.Encode(&pb.RefLogEntry{
		OldHash: hashBytes(ref.Old), NewHash: hashBytes(ref.New), Timestamp: m.Data.GetTimestamp(),
		Force: ref.Force, Nonce: ref.Nonce, OwnerAddress: m.Owner[:], TagObject: hashBytes(ref.TagObject),
	})
	b.fail(err)
	b.insert(at.appendTo(refLogKey(ref.Project, ref.Name)), value)
}

// hashBytes returns a hash as the API encodes it: no bytes for the zero hash.
func hashBytes(h ident.Hash) []byte {
	if h == (ident.Hash{}) {
		return nil
	}
	return h[:]
}
