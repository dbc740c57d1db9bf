package index

import (
	"bytes"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/message"
)

// Class is a kind of index row.
type Class string

// The classes, in the order they are checked in.
const (
	ClassNames           Class = "project names"
	ClassStats           Class = "counts"
	ClassPosition        Class = "message positions"
	ClassAccountActivity Class = "account activity"
	ClassProjectActivity Class = "project activity"
	ClassRefLog          Class = "ref log"
	ClassRefusals        Class = "refusals"
	ClassPruneState      Class = "prune state"
	ClassUnknown         Class = "unknown rows"
)

// DifferenceError says that an index row is not what blocks and state lead to.
type DifferenceError struct {
	Class Class
	Key   []byte // nil when the difference is about the class as a whole
	Text  string
}

func (e *DifferenceError) Error() string {
	if e.Key == nil {
		return fmt.Sprintf("index: %s: %s", e.Class, e.Text)
	}
	return fmt.Sprintf("index: %s: row %x: %s", e.Class, e.Key, e.Text)
}

// Blocks are the committed blocks that are kept.
type Blocks interface {
	// Base is the lowest height kept, 0 when none is.
	Base() uint64
	// Transactions are those of a kept block, in order.
	Transactions(height uint64) ([][]byte, error)
}

// Report is what a check looked at.
type Report struct {
	Blocks   uint64
	Messages uint64
	Rows     uint64 // of the indexes
	Lowest   uint64 // block whose messages are indexed; 1 unless rows were pruned
}

// Check compares the index rows of a view, which is the state after block height, with what its state and the
// blocks lead to. A *DifferenceError names the first difference; any other error means that something could
// not be read. Rows of blocks that are no longer kept cannot be compared, and are not missed; those of pruned
// blocks must be gone. Memory does not grow with the chain.
func Check(view View, height uint64, blocks Blocks) (*Report, error) {
	c := &checker{view: view, height: height, wanted: map[Class]uint64{}, found: map[Class]uint64{}}
	if err := c.checkHorizon(); err != nil {
		return nil, err
	}
	c.base = max(blocks.Base(), c.horizon.lowest)
	stats, err := c.checkNames()
	if err != nil {
		return nil, err
	}
	for at := c.base; at <= height; at++ {
		transactions, err := blocks.Transactions(at)
		if err != nil {
			return nil, fmt.Errorf("index: read block %d: %w", at, err)
		}
		if err := c.checkBlock(at, transactions); err != nil {
			return nil, err
		}
	}
	if err := c.checkStats(stats); err != nil {
		return nil, err
	}
	if err := c.checkRows(); err != nil {
		return nil, err
	}
	c.report.Lowest = c.horizon.lowest
	return &c.report, nil
}

// checker looks up every row that is wanted, and then counts those that are there: when all that are wanted
// were found and none is too many, the two are the same.
type checker struct {
	view          View
	base, height  uint64
	horizon       horizon
	report        Report
	wanted, found map[Class]uint64
	log           refLogWalk
	refusals      refusalState
}

func (c *checker) difference(class Class, key []byte, format string, args ...any) error {
	return &DifferenceError{Class: class, Key: bytes.Clone(key), Text: fmt.Sprintf(format, args...)}
}

// want looks up a row.
func (c *checker) want(class Class, key, value []byte) error {
	c.wanted[class]++
	stored, err := c.view.Get(key)
	switch {
	case err != nil:
		return err
	case stored == nil:
		return c.difference(class, key, "is missing")
	case !bytes.Equal(stored, value):
		return c.difference(class, key, "holds %x, want %x", stored, value)
	}
	return nil
}

// checkHorizon reads how far rows are pruned.
func (c *checker) checkHorizon() error {
	value, err := c.view.Get(horizonKey())
	if err != nil {
		return err
	}
	if c.horizon, err = decodeHorizon(value); err != nil {
		return c.difference(ClassPruneState, horizonKey(), "%v", err)
	}
	if c.horizon.lowest > max(c.height, 1) {
		return c.difference(ClassPruneState, horizonKey(), "is block %d, the state that of block %d", c.horizon.lowest, c.height)
	}
	return nil
}

// checkNames goes over the state.
func (c *checker) checkNames() (Stats, error) {
	return countState(c.view, func(name ProjectName) error {
		return c.want(ClassNames, name.key(), name.Owner[:])
	})
}

// checkStats compares the counts. How many messages there were is known only when all blocks are.
func (c *checker) checkStats(want Stats) error {
	stored, err := NewReader(c.view).Stats()
	if err != nil {
		return err
	}
	want.Messages = c.report.Messages
	if c.base > 1 {
		want.Messages = max(want.Messages, stored.Messages)
	}
	if stored != want {
		return c.difference(ClassStats, statsKey(), "holds %+v, want %+v", stored, want)
	}
	return nil
}

// checkBlock looks up what the messages of a block must have left.
func (c *checker) checkBlock(height uint64, transactions [][]byte) error {
	c.report.Blocks++
	for i, tx := range transactions {
		m, refusal := message.Decode(tx)
		if refusal != nil {
			return fmt.Errorf("index: block %d, message %d: %w", height, i, refusal)
		}
		c.report.Messages++
		at := Position{Height: height, Index: uint32(i)}
		if err := c.checkMessage(at, m); err != nil {
			return err
		}
		if err := c.checkRefChange(at, m); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) checkMessage(at Position, m *message.Envelope) error {
	if err := c.want(ClassPosition, positionKey(m.Hash), at.encode()); err != nil {
		return err
	}
	if err := c.want(ClassAccountActivity, at.appendPlace(accountKey(m.Owner, m.Type())), schema.Present); err != nil {
		return err
	}
	for _, project := range m.Projects() {
		if err := c.want(ClassProjectActivity, at.appendPlace(projectKey(project, m.Type())), schema.Present); err != nil {
			return err
		}
	}
	return nil
}

// checkRefChange compares a line of a ref's log with its message. The old hash is not always in the message;
// the walk over the log compares it with the line before.
func (c *checker) checkRefChange(at Position, m *message.Envelope) error {
	want := &pb.RefLogEntry{Timestamp: m.Data.GetTimestamp(), OwnerAddress: m.Owner[:]}
	var name []byte
	switch b := m.Data.GetBody().(type) {
	case *pb.MessageData_RefUpdate:
		name, want.NewHash, want.Nonce, want.Force = b.RefUpdate.GetRefName(), b.RefUpdate.GetNewHash(), b.RefUpdate.GetNonce(), b.RefUpdate.GetForce()
	case *pb.MessageData_RefDelete:
		name, want.Nonce = b.RefDelete.GetRefName(), b.RefDelete.GetNonce()
	default:
		return nil
	}
	project, _ := m.Project() // a ref message always has one
	key := at.appendPlace(refLogKey(project, name))
	stored, err := c.view.Get(key)
	if err != nil {
		return err
	}
	var entry pb.RefLogEntry
	if stored == nil || schema.Decode(stored, &entry) != nil {
		return c.difference(ClassRefLog, key, "is missing or unreadable: %x", stored)
	}
	want.OldHash = entry.GetOldHash()
	value, err := schema.Encode(want)
	if err != nil {
		return err
	}
	return c.want(ClassRefLog, key, value)
}
