// Package index maintains read models of a chain: the position of each message, the activity of accounts and projects,
// ref logs, project names, forks, counts, and refusals.
//
// Rows computes the rows that a block adds. They become durable in the same batch as the block, so that a snapshot of
// the state always contains the indexes of its own height. A Reader answers queries from them. The package has no clock,
// goroutines or files.
//
// All rows except refusals follow from the blocks and the state, and Check compares them. The keys of the rows of a
// message depend only on the message and its position, so Prune can delete the rows of a block before the block is
// deleted. Names, forks and counts follow from the state alone and are never pruned; FromState computes them for a node that
// restored its state from a snapshot.
//
// Refusals are local to a node: the messages that it left out of its proposals, and why.
package index

import (
	"fmt"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// View is a consistent view of the state and of the index rows.
type View interface {
	// Get returns the value at key, nil when there is no such row.
	Get(key []byte) ([]byte, error)
	// Scan calls fn for every row with lower <= key < upper in ascending order until fn returns false. A nil
	// upper means no end. The arguments of fn are valid only during the call.
	Scan(lower, upper []byte, fn func(key, value []byte) bool) error
}

// Reader answers queries from the rows of one view. Limits must be at least 1.
type Reader struct {
	view View
}

// NewReader returns a reader of a view, which must stay open while the reader is used.
func NewReader(view View) Reader { return Reader{view: view} }

// Entry is a message in a list of activity.
type Entry struct {
	Position

	Type pb.MessageType
}

// Position returns the position of a committed message, and whether it was found.
func (r Reader) Position(hash ident.Hash) (at Position, found bool, err error) {
	value, err := r.view.Get(positionKey(hash))
	if err != nil || value == nil {
		return Position{}, false, err
	}
	at, err = DecodePosition(value)
	if err != nil {
		return Position{}, false, fmt.Errorf("index: message %s: %w", hash, err)
	}
	return at, true, nil
}

// AccountActivity returns messages that an account sent, newest first. Only the given types are listed, or all types if
// there are none. A non-zero before returns only messages before that position.
func (r Reader) AccountActivity(owner ident.Address, types []pb.MessageType, limit int, before Position) ([]Entry, error) {
	return r.activity(func(t pb.MessageType) []byte { return accountKey(owner, t) }, types, limit, before)
}

// ProjectActivity returns messages that affect a project, as message.Envelope.Projects lists them. The other arguments
// are those of AccountActivity.
func (r Reader) ProjectActivity(project ident.Hash, types []pb.MessageType, limit int, before Position) ([]Entry, error) {
	return r.activity(func(t pb.MessageType) []byte { return projectKey(project, t) }, types, limit, before)
}

// activity merges the lists of the requested types. Each type has its own list, so that the cost of a page does not
// depend on how rare a type is.
func (r Reader) activity(prefix func(pb.MessageType) []byte, types []pb.MessageType, limit int, before Position) ([]Entry, error) {
	var page []Entry
	for _, t := range message.Types() {
		if len(types) > 0 && !slices.Contains(types, t) {
			continue
		}
		var oldest Position // of a full page: earlier entries are not needed
		if len(page) == limit && limit > 0 {
			oldest = page[limit-1].Position
		}
		list := prefix(t)
		found := 0
		err := r.view.Scan(before.firstKeyBefore(list), schema.After(list), func(key, _ []byte) bool {
			at := keyPosition(key)
			if found == limit || at.Before(oldest) {
				return false
			}
			found++
			page = append(page, Entry{Position: at, Type: t})
			return true
		})
		if err != nil {
			return nil, err
		}
		slices.SortFunc(page, func(a, b Entry) int { return -a.compare(b.Position) })
		page = page[:min(limit, len(page))]
	}
	return page, nil
}

// RefLog returns the changes of a ref, newest first. A deletion has no new hash, a creation no old one. The log
// continues when a name is used again. A non-zero before returns only changes before that position. If more entries
// follow, next is the position of the last one that is returned, otherwise zero.
func (r Reader) RefLog(project ident.Hash, name []byte, limit int, before Position) (entries []*pb.RefLogEntry, next Position, err error) {
	if len(name) > maxRefName {
		return nil, Position{}, nil
	}
	list := refLogKey(project, name)
	var last Position
	err = r.scan(list, before.firstKeyBefore(list), func(key, value []byte) (bool, error) {
		if len(entries) == limit {
			next = last
			return false, nil
		}
		entry, err := decodeRefLogEntry(key, value)
		entries, last = append(entries, entry), keyPosition(key)
		return true, err
	})
	return entries, next, err
}

// maxRefName is the longest name whose length fits into one byte. Names of refs have at most 254 bytes (P5).
const maxRefName = 0xFF

func decodeRefLogEntry(key, value []byte) (*pb.RefLogEntry, error) {
	entry := new(pb.RefLogEntry)
	if err := schema.Decode(value, entry); err != nil {
		return nil, err
	}
	entry.BlockNumber = keyPosition(key).Height
	return entry, nil
}

// scan visits the rows whose keys start with prefix, from the key lower on if it is larger, until visit returns false
// or an error. The error of visit is returned with the key.
func (r Reader) scan(prefix, lower []byte, visit func(key, value []byte) (bool, error)) error {
	if slices.Compare(lower, prefix) < 0 {
		lower = prefix
	}
	var failed error
	err := r.view.Scan(lower, schema.After(prefix), func(key, value []byte) bool {
		more, err := visit(key, value)
		if err != nil {
			failed = fmt.Errorf("index: row %x: %w", key, err)
		}
		return more && err == nil
	})
	if failed != nil {
		return failed
	}
	return err
}
