package index

import (
	"encoding/binary"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// Stats are the counts of a chain. Refs, commits and collaborators are those of projects that are not removed, because
// those of removed projects are not served (P9.6).
type Stats struct {
	Messages      uint64 // committed since genesis
	Projects      uint64 // not removed
	Accounts      uint64
	Refs          uint64
	Commits       uint64
	Collaborators uint64
	Keys          uint64 // delegated
	Verifications uint64
	Links         uint64
	Reactions     uint64
	StateEntries  uint64 // rows of the state tree
}

// Stats returns the counts.
func (r Reader) Stats() (Stats, error) {
	value, err := r.view.Get(statsKey())
	if err != nil {
		return Stats{}, err
	}
	return decodeStats(value)
}

// fields returns the counts in the order in which they are encoded.
func (s *Stats) fields() []*uint64 {
	return []*uint64{
		&s.Messages, &s.Projects, &s.Accounts, &s.Refs, &s.Commits, &s.Collaborators, &s.Keys, &s.Verifications,
		&s.Links, &s.Reactions, &s.StateEntries,
	}
}

func (s *Stats) encode() []byte {
	var value []byte
	for _, field := range s.fields() {
		value = binary.BigEndian.AppendUint64(value, *field)
	}
	return value
}

// decodeStats decodes the counts. An empty value is all zeros.
func decodeStats(value []byte) (s Stats, err error) {
	fields := s.fields()
	switch len(value) {
	case 0:
		return s, nil
	case 8 * len(fields):
	default:
		return s, fmt.Errorf("index: the counts have %d bytes, want %d", len(value), 8*len(fields))
	}
	for i, field := range fields {
		*field = binary.BigEndian.Uint64(value[8*i:])
	}
	return s, nil
}

// addStats updates the counts with the changes of a block.
func (b *batch) addStats(block *ledger.Committed) {
	if len(block.Applied) == 0 && len(block.Changes) == 0 {
		return
	}
	before := b.get(statsKey())
	stats, err := decodeStats(before)
	b.fail(err)
	stats.Messages += uint64(len(block.Applied))
	for _, c := range block.Changes {
		switch {
		case !c.Existed && c.Value != nil:
			stats.countRow(c.Key, +1)
		case c.Existed && c.Value == nil:
			stats.countRow(c.Key, -1)
		}
		if schema.Prefix(c.Key[0]) == schema.PrefixProject {
			// The rows of a removed project are not counted any more, and are deleted later.
			if c.Existed {
				stats.countRemoved(b.project(c.Key, b.get(c.Key)), +1)
			}
			stats.countRemoved(b.project(c.Key, c.Value), -1)
		}
	}
	for _, field := range stats.fields() {
		if int64(*field) < 0 {
			b.fail(fmt.Errorf("a count is negative: %+v", stats))
		}
	}
	b.replace(statsKey(), before, stats.encode())
}

// countRow counts a row that is added (+1) or deleted (-1).
func (s *Stats) countRow(key []byte, by int) {
	p := schema.Prefix(key[0])
	if p.Merkleized() {
		s.StateEntries += uint64(by)
	}
	if counter := s.counter(p, key); counter != nil {
		*counter += uint64(by)
	}
}

// counter returns the count that includes a row, nil if there is none.
func (s *Stats) counter(p schema.Prefix, key []byte) *uint64 {
	switch p {
	case schema.PrefixProjectName: // only projects that are not removed have one
		return &s.Projects
	case schema.PrefixAccount:
		return &s.Accounts
	case schema.PrefixRef:
		return &s.Refs
	case schema.PrefixCommit:
		return &s.Commits
	case schema.PrefixCollaborator:
		return &s.Collaborators
	case schema.PrefixVerification:
		return &s.Verifications
	case schema.PrefixLink:
		return &s.Links
	case schema.PrefixReaction:
		return &s.Reactions
	case schema.PrefixKey:
		if key[1+ident.AddressSize] == schema.FamilyDelegated {
			return &s.Keys
		}
	}
	return nil
}

// countRemoved adds (+1) or subtracts (-1) the refs, commits and collaborators of a project if it is removed.
func (s *Stats) countRemoved(row *pb.ProjectRow, by int) {
	if row.GetStatus() != pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		return
	}
	s.Refs += uint64(by * int(row.GetRefCount()))
	s.Commits += uint64(by * int(row.GetCommitCount()))
	s.Collaborators += uint64(by * int(row.GetCollaboratorCount()))
}

func (b *batch) project(key, value []byte) *pb.ProjectRow {
	row := new(pb.ProjectRow)
	if err := schema.Decode(value, row); err != nil {
		b.fail(fmt.Errorf("row %x: %w", key, err))
	}
	return row
}

// FromState emits the index rows that follow from the state alone: names, forks and counts. A node that restored its state
// from a snapshot starts with them. The state does not contain the number of messages, so such a node counts them from there on.
func FromState(view View, emit func(schema.Change) error) error {
	stats, err := countState(view, func(name ProjectName) error {
		return emit(schema.Change{Key: name.key(), Value: name.Owner[:]})
	}, func(fork []byte) error {
		return emit(schema.Change{Key: fork, Value: schema.Present})
	})
	if err != nil {
		return fmt.Errorf("index the state: %w", err)
	}
	if err := emit(schema.Change{Key: forksCompleteKey(), Value: schema.Present}); err != nil {
		return err
	}
	return emit(schema.Change{Key: statsKey(), Value: stats.encode()})
}

// countState counts the rows of the state, and visits the names of its projects and the keys of the rows of its forks.
func countState(view View, visit func(ProjectName) error, visitFork func(key []byte) error) (stats Stats, err error) {
	var failed error
	err = view.Scan(nil, firstIndexKey(), func(key, value []byte) bool {
		stats.countRow(key, +1)
		switch schema.Prefix(key[0]) {
		case schema.PrefixProject:
			var row pb.ProjectRow
			failed = schema.Decode(value, &row)
			stats.countRemoved(&row, -1)
		case schema.PrefixProjectName:
			var name ProjectName
			if name, failed = parseStateName(key, value); failed == nil {
				failed = visit(name)
			}
		case schema.PrefixForkParent:
			var fork []byte
			if fork, failed = forkKey(key, value); failed == nil {
				failed = visitFork(fork)
			}
		}
		if failed != nil {
			failed = fmt.Errorf("row %x: %w", key, failed)
		}
		return failed == nil
	})
	if failed != nil {
		err = failed
	}
	return stats, err
}
