package index

import (
	"bytes"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// checkRows goes over all index rows: what they say must fit together, and none may be too many.
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
	if err := c.endRefLog(); err != nil {
		return err
	}
	return c.checkCounts()
}

func (c *checker) checkRow(key, value []byte) error {
	switch key[0] {
	case prefixPosition:
		at, err := decodePosition(value)
		if err != nil {
			return c.difference(ClassPosition, key, "%v", err)
		}
		return c.checkPlace(ClassPosition, key, at)
	case prefixAccount:
		return c.checkActivity(ClassAccountActivity, key, ident.AddressSize)
	case prefixProject:
		return c.checkActivity(ClassProjectActivity, key, ident.HashSize)
	case prefixRefLog:
		return c.walkRefLog(key, value)
	case prefixName:
		c.found[ClassNames]++
		return nil
	case prefixStats, prefixHorizon: // these are single rows, which were read
		if len(key) > 1 {
			return c.difference(ClassUnknown, key, "is of no index")
		}
		return nil
	case prefixRefusal, prefixRefusalAge, prefixRefusalState:
		return c.checkRefusal(key, value)
	default:
		return c.difference(ClassUnknown, key, "is of no index")
	}
}

func (c *checker) checkActivity(class Class, key []byte, size int) error {
	if len(key) != 2+size+placeSize {
		return c.difference(class, key, "has a key of %d bytes", len(key))
	}
	return c.checkPlace(class, key, placeOf(key))
}

// checkPlace counts the row of a message when its block is kept.
func (c *checker) checkPlace(class Class, key []byte, at Position) error {
	if at.Height > c.height {
		return c.difference(class, key, "is of block %d, the state of block %d", at.Height, c.height)
	}
	if at.Height < c.horizon.lowest && (c.horizon.rest == nil || bytes.Compare(key, c.horizon.rest) < 0) {
		return c.difference(class, key, "is of block %d, but rows are pruned up to block %d", at.Height, c.horizon.lowest)
	}
	if at.Height >= c.base {
		c.found[class]++
	}
	return nil
}

// checkCounts finds rows that nothing leads to.
func (c *checker) checkCounts() error {
	for _, class := range []Class{ClassNames, ClassPosition, ClassAccountActivity, ClassProjectActivity, ClassRefLog} {
		if c.found[class] != c.wanted[class] {
			return c.difference(class, nil, "there are %d rows, want %d", c.found[class], c.wanted[class])
		}
	}
	if ages := c.found[ClassRefusals]; ages != c.wanted[ClassRefusals] || ages != c.refusals.count {
		return c.difference(ClassRefusals, nil, "there are %d, %d ages, and %d are counted", c.wanted[ClassRefusals], ages, c.refusals.count)
	}
	return nil
}

// refLogWalk remembers the line of a ref's log that was visited last.
type refLogWalk struct {
	key   []byte // of the line
	entry *pb.RefLogEntry
}

// sameRef says whether a line belongs to the ref visited last.
func (w *refLogWalk) sameRef(key []byte) bool {
	return len(w.key) == len(key) && bytes.Equal(w.key[:len(w.key)-placeSize], key[:len(key)-placeSize])
}

// walkRefLog visits the lines newest first: each must begin where the one before it in time ended, and the
// newest must end where the ref is.
func (c *checker) walkRefLog(key, value []byte) error {
	project, name, ok := parseRefLogKey(key)
	if !ok {
		return c.difference(ClassRefLog, key, "has a key of no ref")
	}
	at := placeOf(key)
	if err := c.checkPlace(ClassRefLog, key, at); err != nil || at.Height < c.horizon.lowest {
		return err // what is left to delete is not followed by all that came after it
	}
	entry, err := refLogEntry(key, value)
	if err != nil {
		return c.difference(ClassRefLog, key, "%v", err)
	}
	if c.log.sameRef(key) {
		if later := c.log.entry; !bytes.Equal(later.GetOldHash(), entry.GetNewHash()) {
			return c.difference(ClassRefLog, c.log.key, "moves from %x, but the ref was at %x", later.GetOldHash(), entry.GetNewHash())
		}
	} else if err := c.beginRefLog(key, project, name, entry); err != nil {
		return err
	}
	c.log = refLogWalk{key: bytes.Clone(key), entry: entry}
	return nil
}

// beginRefLog compares the newest line of a log with the ref itself.
func (c *checker) beginRefLog(key []byte, project ident.Hash, name []byte, entry *pb.RefLogEntry) error {
	if err := c.endRefLog(); err != nil {
		return err
	}
	value, err := c.view.Get(schema.RefKey(project, name))
	if err != nil {
		return err
	}
	var ref pb.RefRow
	if err := schema.Decode(value, &ref); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	if !bytes.Equal(ref.GetHash(), entry.GetNewHash()) {
		return c.difference(ClassRefLog, key, "moves to %x, but the ref is at %x", entry.GetNewHash(), ref.GetHash())
	}
	return nil
}

// endRefLog checks the oldest line of a log, when all blocks are known: a ref begins from nothing.
func (c *checker) endRefLog() error {
	if old := c.log.entry.GetOldHash(); c.base == 1 && len(old) > 0 {
		return c.difference(ClassRefLog, c.log.key, "is the first of its ref, but moves from %x", old)
	}
	return nil
}

// parseRefLogKey takes apart what refLogKey and a place make.
func parseRefLogKey(key []byte) (project ident.Hash, name []byte, ok bool) {
	const head = 1 + ident.HashSize + 1
	if len(key) < head+placeSize || len(key) != head+int(key[head-1])+placeSize {
		return project, nil, false
	}
	copy(project[:], key[1:])
	return project, key[head : len(key)-placeSize], true
}

// checkRefusal checks that refusals and their ages name each other. Nothing else is known of them.
func (c *checker) checkRefusal(key, value []byte) error {
	switch key[0] {
	case prefixRefusal:
		refused, err := decodeRefused(value)
		hash, ok := ident.HashFrom(key[1:])
		if err != nil || !ok {
			return c.difference(ClassRefusals, key, "does not read as a refusal: %v", err)
		}
		return c.want(ClassRefusals, refusalAgeKey(refused.Time, hash), schema.Present)
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
