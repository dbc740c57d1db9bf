package index

import (
	"fmt"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// Entry is a message of an activity list.
type Entry struct {
	Position

	Type pb.MessageType
}

// Position finds a committed message by its hash.
func (r Reader) Position(hash ident.Hash) (at Position, found bool, err error) {
	value, err := r.view.Get(positionKey(hash))
	if err != nil || value == nil {
		return Position{}, false, err
	}
	at, err = decodePosition(value)
	if err != nil {
		return Position{}, false, fmt.Errorf("index: message %s: %w", hash, err)
	}
	return at, true, nil
}

// AccountActivity lists the messages that an account sent, newest first: of some types, or of all when none is
// named; those before a position, or the newest when it is zero.
func (r Reader) AccountActivity(owner ident.Address, types []pb.MessageType, limit int, before Position) ([]Entry, error) {
	return r.activity(func(t pb.MessageType) []byte { return accountKey(owner, t) }, types, limit, before)
}

// ProjectActivity lists the messages about a project, as message.Envelope.Projects has it, in the same way.
func (r Reader) ProjectActivity(project ident.Hash, types []pb.MessageType, limit int, before Position) ([]Entry, error) {
	return r.activity(func(t pb.MessageType) []byte { return projectKey(project, t) }, types, limit, before)
}

// activity merges the lists of the types asked for. Each type has a list of its own, so that a page costs the
// same however rare the type is.
func (r Reader) activity(list func(pb.MessageType) []byte, types []pb.MessageType, limit int, before Position) ([]Entry, error) {
	var page []Entry
	for _, t := range message.Types() {
		if len(types) > 0 && !slices.Contains(types, t) {
			continue
		}
		var oldest Position // of a full page: what comes before it is of no use
		if len(page) == limit && limit > 0 {
			oldest = page[limit-1].Position
		}
		newest, err := r.entries(list(t), t, limit, before, oldest)
		if err != nil {
			return nil, err
		}
		page = append(page, newest...)
		slices.SortFunc(page, func(a, b Entry) int { return newestFirst(a.Position, b.Position) })
		page = page[:min(limit, len(page))]
	}
	return page, nil
}

// entries lists one type, from before back to oldest.
func (r Reader) entries(list []byte, t pb.MessageType, limit int, before, oldest Position) ([]Entry, error) {
	lower, upper := list, schema.After(list)
	if before != (Position{}) {
		lower = append(before.appendPlace(slices.Clone(list)), 0)
	}
	var entries []Entry
	err := r.view.Scan(lower, upper, func(key, _ []byte) bool {
		at := placeOf(key)
		if len(entries) == limit || at.Before(oldest) {
			return false
		}
		entries = append(entries, Entry{Position: at, Type: t})
		return true
	})
	return entries, err
}

func newestFirst(a, b Position) int {
	switch {
	case b.Before(a):
		return -1
	case a.Before(b):
		return 1
	default:
		return 0
	}
}
