package index

import (
	"bytes"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// Class is a kind of index row.
type Class string

// The classes of index rows, in the order in which they are checked.
const (
	ClassNames           Class = "project names"
	ClassForks           Class = "forks"
	ClassStats           Class = "counts"
	ClassPosition        Class = "message positions"
	ClassAccountActivity Class = "account activity"
	ClassProjectActivity Class = "project activity"
	ClassRefLog          Class = "ref log"
	ClassRefusals        Class = "refusals"
	ClassPruneState      Class = "prune state"
	ClassUnknown         Class = "unknown rows"
)

// DifferenceError is returned by Check when an index row does not match the blocks and the state.
type DifferenceError struct {
	Class Class
	Key   []byte // nil if the difference is about the class as a whole
	Text  string
}

func (e *DifferenceError) Error() string {
	if e.Key == nil {
		return fmt.Sprintf("index: %s: %s", e.Class, e.Text)
	}
	return fmt.Sprintf("index: %s: row %x: %s", e.Class, e.Key, e.Text)
}

// Blocks provides the committed blocks that are kept.
type Blocks interface {
	// Base returns the lowest height kept, 0 when there is none.
	Base() uint64
	// Transactions returns the transactions of a kept block in order.
	Transactions(height uint64) ([][]byte, error)
}

// Report summarizes a check.
type Report struct {
	Blocks   uint64
	Messages uint64
	Rows     uint64 // index rows
	Lowest   uint64 // the lowest block whose messages are indexed; 1 unless rows were pruned
}

// Check compares the index rows of a view, which is the state after block height, with the rows that follow from its
// state and the blocks. It returns a *DifferenceError for the first difference; any other error means that rows or
// blocks could not be read. Rows of blocks that are no longer kept are not compared, and rows of pruned blocks must not
// exist. Memory does not grow with the chain.
//
// The checker looks up every expected row and counts the existing ones: if all expected rows were found and the counts
// are equal, the two sets are the same.
func Check(view View, height uint64, blocks Blocks) (*Report, error) {
	c := &checker{view: view, height: height, expected: map[Class]uint64{}, found: map[Class]uint64{}}
	value, err := view.Get(pruneStateKey())
	if err != nil {
		return nil, err
	}
	if c.pruned, err = decodePruneState(value); err != nil {
		return nil, c.difference(ClassPruneState, pruneStateKey(), "%v", err)
	}
	if c.pruned.lowest > max(height, 1) {
		return nil, c.difference(ClassPruneState, pruneStateKey(), "rows are pruned up to block %d, beyond the state at block %d", c.pruned.lowest, height)
	}
	if c.hasForks, err = NewReader(view).HasForks(); err != nil {
		return nil, err
	}
	c.base = max(blocks.Base(), c.pruned.lowest)
	stats, err := countState(view, func(name ProjectName) error {
		return c.expect(ClassNames, name.key(), name.Owner[:])
	}, c.expectFork)
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
	c.report.Lowest = c.pruned.lowest
	return &c.report, nil
}

// checker is the state of one Check.
type checker struct {
	view            View
	base, height    uint64
	pruned          pruneState
	report          Report
	expected, found map[Class]uint64
	refusals        refusalState
	hasForks        bool // the forks of the state are indexed

	// The entry of a ref log that was visited last. Entries are visited newest first.
	logKey   []byte
	logEntry *pb.RefLogEntry
}

func (c *checker) difference(class Class, key []byte, format string, args ...any) error {
	return &DifferenceError{Class: class, Key: bytes.Clone(key), Text: fmt.Sprintf(format, args...)}
}

// expect counts an expected row and compares it with the stored one.
func (c *checker) expect(class Class, key, value []byte) error {
	c.expected[class]++
	stored, err := c.view.Get(key)
	switch {
	case err != nil:
		return err
	case stored == nil:
		return c.difference(class, key, "is missing")
	case !bytes.Equal(stored, value):
		return c.difference(class, key, "is %x, want %x", stored, value)
	}
	return nil
}

// expectFork expects the row of a fork, unless no block was committed since there is an index of forks.
func (c *checker) expectFork(key []byte) error {
	if !c.hasForks {
		return nil
	}
	return c.expect(ClassForks, key, schema.Present)
}

// checkStats compares the counts. The number of messages can be checked only if all blocks are kept.
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
		return c.difference(ClassStats, statsKey(), "is %+v, want %+v", stored, want)
	}
	return nil
}

// checkBlock looks up the rows of the messages of a block.
func (c *checker) checkBlock(height uint64, transactions [][]byte) error {
	c.report.Blocks++
	for i, tx := range transactions {
		m, refusal := message.Decode(tx)
		if refusal != nil {
			return fmt.Errorf("index: block %d, message %d: %w", height, i, refusal)
		}
		c.report.Messages++
		at := Position{Height: height, Index: uint32(i)}
		if err := c.expect(ClassPosition, positionKey(m.Hash), at.Encode()); err != nil {
			return err
		}
		if err := c.expect(ClassAccountActivity, at.appendTo(accountKey(m.Owner, m.Type())), schema.Present); err != nil {
			return err
		}
		for _, project := range m.Projects() {
			if err := c.expect(ClassProjectActivity, at.appendTo(projectKey(project, m.Type())), schema.Present); err != nil {
				return err
			}
		}
		if err := c.checkRefChange(at, m); err != nil {
			return err
		}
	}
	return nil
}

// checkRefChange compares an entry of a ref log with its message. The message does not always contain the old hash;
// checkRefLog compares that with the entry before.
func (c *checker) checkRefChange(at Position, m *message.Envelope) error {
	want := &pb.RefLogEntry{Timestamp: m.Data.GetTimestamp(), OwnerAddress: m.Owner[:]}
	var name []byte
	switch b := m.Data.GetBody().(type) {
	case *pb.MessageData_RefUpdate:
		name, want.NewHash, want.Nonce, want.Force = b.RefUpdate.GetRefName(), b.RefUpdate.GetNewHash(), b.RefUpdate.GetNonce(), b.RefUpdate.GetForce()
		want.TagObject = b.RefUpdate.GetTagObject()
	case *pb.MessageData_RefDelete:
		name, want.Nonce = b.RefDelete.GetRefName(), b.RefDelete.GetNonce()
	default:
		return nil
	}
	project, _ := m.Project() // a ref message always has one
	key := at.appendTo(refLogKey(project, name))
	stored, err := c.view.Get(key)
	if err != nil {
		return err
	}
	var entry pb.RefLogEntry
	if stored == nil || schema.Decode(stored, &entry) != nil {
		return c.difference(ClassRefLog, key, "is missing or not valid: %x", stored)
	}
	want.OldHash = entry.GetOldHash()
	value, err := schema.Encode(want)
	if err != nil {
		return err
	}
	return c.expect(ClassRefLog, key, value)
}

// checkRows visits all index rows, checks each of them, and compares the counts with the expected ones.
func (c *checker) checkRows() error {
	var failed error
	err := c.view.Scan(firstIndexKey(), nil, func(key, value []byte) bool {
		c.report.Rows++
		failed = c.checkRow(key, value)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	if err := c.checkFirstLogEntry(); err != nil {
		return err
	}
	for _, class := range []Class{ClassNames, ClassForks, ClassPosition, ClassAccountActivity, ClassProjectActivity, ClassRefLog} {
		if c.found[class] != c.expected[class] {
			return c.difference(class, nil, "there are %d rows, want %d", c.found[class], c.expected[class])
		}
	}
	if ages := c.found[ClassRefusals]; ages != c.expected[ClassRefusals] || ages != c.refusals.count {
		return c.difference(ClassRefusals, nil, "there are %d refusals and %d age rows, the count is %d", c.expected[ClassRefusals], ages, c.refusals.count)
	}
	return nil
}

func (c *checker) checkRow(key, value []byte) error {
	switch key[0] {
	case prefixPosition:
		at, err := DecodePosition(value)
		if err != nil {
			return c.difference(ClassPosition, key, "%v", err)
		}
		return c.checkPosition(ClassPosition, key, at)
	case prefixAccount:
		return c.checkActivity(ClassAccountActivity, key, ident.AddressSize)
	case prefixProject:
		return c.checkActivity(ClassProjectActivity, key, ident.HashSize)
	case prefixRefLog:
		return c.checkRefLog(key, value)
	case prefixName:
		c.found[ClassNames]++
		return nil
	case prefixFork:
		if len(key) > 1 {
			c.found[ClassForks]++
		} else if !bytes.Equal(value, schema.Present) {
			return c.difference(ClassForks, key, "is %x, want %x", value, schema.Present)
		}
		return nil
	case prefixStats, prefixPruneState: // single rows, which were checked before
		if len(key) > 1 {
			return c.difference(ClassUnknown, key, "does not belong to an index")
		}
		return nil
	case prefixRefusal, prefixRefusalAge, prefixRefusalState:
		return c.checkRefusal(key, value)
	default:
		return c.difference(ClassUnknown, key, "does not belong to an index")
	}
}

func (c *checker) checkActivity(class Class, key []byte, size int) error {
	if want := 2 + size + positionSize; len(key) != want {
		return c.difference(class, key, "has a key of %d bytes, want %d", len(key), want)
	}
	return c.checkPosition(class, key, keyPosition(key))
}

// checkPosition checks that the block of a row is not pruned or beyond the state, and counts the row if the block is
// kept.
func (c *checker) checkPosition(class Class, key []byte, at Position) error {
	if at.Height > c.height {
		return c.difference(class, key, "belongs to block %d, beyond the state at block %d", at.Height, c.height)
	}
	swept := c.pruned.sweepFrom == nil || bytes.Compare(key, c.pruned.sweepFrom) < 0
	if at.Height < c.pruned.lowest && swept {
		return c.difference(class, key, "belongs to block %d, but rows are pruned up to block %d", at.Height, c.pruned.lowest)
	}
	if at.Height >= c.base {
		c.found[class]++
	}
	return nil
}

// checkRefLog checks an entry of a ref log. The newest entry must end at the current hash of the ref, and every other
// entry where the next one starts.
func (c *checker) checkRefLog(key, value []byte) error {
	project, name, ok := parseRefLogKey(key)
	if !ok {
		return c.difference(ClassRefLog, key, "has a key that is not a ref")
	}
	at := keyPosition(key)
	if err := c.checkPosition(ClassRefLog, key, at); err != nil || at.Height < c.pruned.lowest {
		return err // entries between a row that is still to be pruned and the kept ones may be missing
	}
	entry, err := decodeRefLogEntry(key, value)
	if err != nil {
		return c.difference(ClassRefLog, key, "%v", err)
	}
	log := key[:len(key)-positionSize]
	if len(c.logKey) == len(key) && bytes.HasPrefix(c.logKey, log) {
		if later := c.logEntry; !bytes.Equal(later.GetOldHash(), entry.GetNewHash()) {
			return c.difference(ClassRefLog, c.logKey, "moves from %x, but the ref was at %x", later.GetOldHash(), entry.GetNewHash())
		}
	} else if err := c.checkLatestLogEntry(key, project, name, entry); err != nil {
		return err
	}
	c.logKey, c.logEntry = bytes.Clone(key), entry
	return nil
}

// isRemoved reports whether a project is removed, whose refs are deleted without log entries.
func (c *checker) isRemoved(project ident.Hash) (bool, error) {
	value, err := c.view.Get(schema.ProjectKey(project))
	if err != nil {
		return false, err
	}
	var row pb.ProjectRow
	if err := schema.Decode(value, &row); err != nil {
		return false, fmt.Errorf("index: %w", err)
	}
	return row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED, nil
}

// checkLatestLogEntry checks that the latest entry of a ref log, which is the first one read, moves to the value of the
// ref. The log that was read before it ends here.
func (c *checker) checkLatestLogEntry(key []byte, project ident.Hash, name []byte, entry *pb.RefLogEntry) error {
	if err := c.checkFirstLogEntry(); err != nil {
		return err
	}
	stored, err := c.view.Get(schema.RefKey(project, name))
	if err != nil {
		return err
	}
	var ref pb.RefRow
	if err := schema.Decode(stored, &ref); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	if !bytes.Equal(ref.GetHash(), entry.GetNewHash()) || !bytes.Equal(ref.GetTagObject(), entry.GetTagObject()) {
		if removed, err := c.isRemoved(project); err != nil || removed && stored == nil {
			return err
		}
		return c.difference(ClassRefLog, key, "moves to %x with the tag object %x, but the ref is at %x with %x",
			entry.GetNewHash(), entry.GetTagObject(), ref.GetHash(), ref.GetTagObject())
	}
	return nil
}

// checkFirstLogEntry checks the oldest entry of the last visited ref log: if all blocks are kept, it has no old hash.
func (c *checker) checkFirstLogEntry() error {
	if old := c.logEntry.GetOldHash(); c.base == 1 && len(old) > 0 {
		return c.difference(ClassRefLog, c.logKey, "is the first entry of its ref, but moves from %x", old)
	}
	return nil
}

// checkRefusal checks that each refusal has an age row. Other properties of refusals cannot be checked.
func (c *checker) checkRefusal(key, value []byte) error {
	switch key[0] {
	case prefixRefusal:
		refused, err := decodeRefused(value)
		hash, ok := ident.HashFrom(key[1:])
		if err != nil || !ok {
			return c.difference(ClassRefusals, key, "is not a valid refusal: %v", err)
		}
		return c.expect(ClassRefusals, refusalAgeKey(refused.Time, hash), schema.Present)
	case prefixRefusalAge:
		c.found[ClassRefusals]++
		return nil
	default:
		state, err := decodeRefusalState(value)
		if err != nil {
			return c.difference(ClassRefusals, key, "%v", err)
		}
		c.refusals = state
		return nil
	}
}
