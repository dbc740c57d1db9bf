package index

import (
	"encoding/binary"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// Stats counts what a chain holds. Refs, commits and collaborators are those of projects that are not removed,
// since those of removed ones are no longer served (P9.6).
type Stats struct {
	Messages      uint64 // committed ever
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

// Stats reads the counts.
func (r Reader) Stats() (Stats, error) {
	value, err := r.view.Get(statsKey())
	if err != nil {
		return Stats{}, err
	}
	return decodeStats(value)
}

// fields lists the counts in the order they are stored in.
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

// decodeStats reads the counts. Without a row there is nothing yet.
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

// addStats brings the counts forward by what a block changed.
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
			b.countRemoval(&stats, c)
		}
	}
	for _, field := range stats.fields() {
		if int64(*field) < 0 {
			b.fail(fmt.Errorf("a count falls below zero: %+v", stats))
		}
	}
	b.replace(statsKey(), before, stats.encode())
}

// countRow counts a row that comes (+1) or goes (-1).
func (s *Stats) countRow(key []byte, by int) {
	p := schema.Prefix(key[0])
	if p.Merkleized() {
		s.StateEntries += uint64(by)
	}
	if counter := s.counter(p, key); counter != nil {
		*counter += uint64(by)
	}
}

// counter is the count that a row belongs to, nil when none is kept.
func (s *Stats) counter(p schema.Prefix, key []byte) *uint64 {
	switch p {
	case schema.PrefixProjectName: // exactly the projects that are not removed have one
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

// countRemoval takes away what a project had when it was removed. The rows stay, and none of them changes
// afterwards.
func (b *batch) countRemoval(stats *Stats, c schema.Change) {
	row := b.project(c.Key, c.Value)
	if row.GetStatus() != pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		return
	}
	if c.Existed && b.project(c.Key, b.get(c.Key)).GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		return
	}
	stats.leaveOut(row)
}

// leaveOut takes away what belongs to a removed project.
func (s *Stats) leaveOut(row *pb.ProjectRow) {
	s.Refs -= uint64(row.GetRefCount())
	s.Commits -= uint64(row.GetCommitCount())
	s.Collaborators -= uint64(row.GetCollaboratorCount())
}

func (b *batch) project(key, value []byte) *pb.ProjectRow {
	row := new(pb.ProjectRow)
	if err := schema.Decode(value, row); err != nil {
		b.fail(fmt.Errorf("row %x: %w", key, err))
	}
	return row
}
