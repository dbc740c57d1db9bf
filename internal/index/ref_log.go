package index

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// RefLog lists how a ref moved, newest first. A deletion has no new hash, a creation no old one. The log goes
// on when a name is used again.
func (r Reader) RefLog(project ident.Hash, name []byte, limit int) ([]*pb.RefLogEntry, error) {
	if len(name) > maxRefName {
		return nil, nil
	}
	var entries []*pb.RefLogEntry
	var failed error
	log := refLogKey(project, name)
	err := r.view.Scan(log, schema.After(log), func(key, value []byte) bool {
		if len(entries) == limit {
			return false
		}
		entry, err := refLogEntry(key, value)
		if err != nil {
			failed = err
			return false
		}
		entries = append(entries, entry)
		return true
	})
	if failed != nil {
		err = failed
	}
	return entries, err
}

// maxRefName is the longest name that has a length of one byte; refs have at most 254 (P5).
const maxRefName = 0xFF

func refLogEntry(key, value []byte) (*pb.RefLogEntry, error) {
	entry := new(pb.RefLogEntry)
	if err := schema.Decode(value, entry); err != nil {
		return nil, fmt.Errorf("index: row %x: %w", key, err)
	}
	entry.BlockNumber = placeOf(key).Height
	return entry, nil
}

// unlessZero is the hash as the API carries it: nothing when there is none.
func unlessZero(h ident.Hash) []byte {
	if h == (ident.Hash{}) {
		return nil
	}
	return h[:]
}
