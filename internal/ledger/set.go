package ledger

import (
	"bytes"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/message"
)

// MaxPrunedPerMessage is the maximum number of members that one message prunes. A set whose quota shrank by more is
// pruned over several messages.
const MaxPrunedPerMessage = 100

// memberSet is an add/remove set (P9.2) of an account or a project. Every member that was added and not pruned is
// either an active entry or a tombstone, and has one age row with its timestamp.
type memberSet struct {
	entries, tombstones uint32
	limit               uint64 // of entries and tombstones together
	// deleteReverse deletes the reverse rows of an entry that is removed or pruned. It is nil if there are none.
	deleteReverse func(key, value []byte)
}

func (m *memberSet) size() uint64 { return uint64(m.entries) + uint64(m.tombstones) }

// deleteEntry deletes an active entry and its reverse rows.
func (s *transition) deleteEntry(set *memberSet, key, value []byte) {
	if set.deleteReverse != nil {
		set.deleteReverse(key, value)
	}
	s.rows.delete(key)
	set.entries--
}

// add adds or updates the entry at key, and prunes the oldest members beyond the limit.
func (s *transition) add(set *memberSet, key []byte, row proto.Message) *message.Refusal {
	at, active := s.timestamp(), s.rows.get(key) != nil
	activeAt, tombstoneAt := s.rows.timestamp(key), s.rows.timestamp(schema.TombstoneKey(key))
	if stored := max(activeAt, tombstoneAt, s.rows.timestamp(schema.PruneMarkerKey(key))); at <= stored {
		return s.staleWrite("the entry, its removal or its pruning", stored)
	}
	switch {
	case active:
		s.rows.delete(schema.AgeKey(key, activeAt))
	case tombstoneAt != 0:
		s.rows.delete(schema.AgeKey(key, tombstoneAt))
		s.rows.delete(schema.TombstoneKey(key))
		set.tombstones--
		set.entries++
	default:
		set.entries++
	}
	s.rows.delete(schema.PruneMarkerKey(key))
	s.rows.put(key, row)
	s.rows.insert(schema.AgeKey(key, at), schema.Present)
	return s.prune(set, key)
}

// remove replaces the entry at key by a tombstone. A removal with the same timestamp as the addition wins.
func (s *transition) remove(set *memberSet, key []byte) *message.Refusal {
	at, value := s.timestamp(), s.rows.get(key)
	activeAt, tombstoneAt := s.rows.timestamp(key), s.rows.timestamp(schema.TombstoneKey(key))
	switch {
	case value == nil && tombstoneAt == 0:
		return refuse(message.CodeNotFound, "there is no such entry to remove")
	case value == nil && at <= tombstoneAt:
		return s.staleWrite("the removal", tombstoneAt)
	case value == nil:
		s.rows.delete(schema.AgeKey(key, tombstoneAt))
	case at < activeAt:
		return refuse(message.CodeStaleWrite, "timestamp %d is earlier than %d, the timestamp of the entry", at, activeAt)
	default:
		s.deleteEntry(set, key, value)
		s.rows.delete(schema.AgeKey(key, activeAt))
		set.tombstones++
	}
	s.rows.put(schema.TombstoneKey(key), &pb.TombstoneRow{Timestamp: at})
	s.rows.insert(schema.AgeKey(key, at), schema.Present)
	return nil
}

// prune replaces the oldest members beyond the limit, entries and tombstones, by prune markers.
func (s *transition) prune(set *memberSet, added []byte) *message.Refusal {
	if set.size() <= set.limit {
		return nil
	}
	over := min(set.size()-set.limit, MaxPrunedPerMessage)
	var ages [][]byte
	s.rows.scan(schema.AgePrefix(added), func(key, _ []byte) bool {
		ages = append(ages, bytes.Clone(key))
		return uint64(len(ages)) < over
	})
	for _, age := range ages {
		key, at, err := schema.ParseAgeKey(age)
		if err != nil {
			s.rows.fail(err)
			return nil
		}
		if bytes.Equal(key, added) {
			return refuse(message.CodeQuotaExceeded, "the set has reached its limit of %d and all other members are newer", set.limit)
		}
		if value := s.rows.get(key); value != nil {
			s.deleteEntry(set, key, value)
		} else {
			s.rows.delete(schema.TombstoneKey(key))
			set.tombstones--
		}
		s.rows.delete(age)
		s.rows.put(schema.PruneMarkerKey(key), &pb.PruneMarkerRow{Timestamp: at})
	}
	return nil
}

// accountSet returns a set of the author, with its counts from the counter rows. Expired grants of the author are swept
// first.
func (s *transition) accountSet(counter schema.Counter, perUnit uint64, deleteReverse func(key, value []byte)) (*memberSet, *message.Refusal) {
	units, refusal := s.requireUnits(s.Owner)
	if refusal != nil {
		return nil, refusal
	}
	return &memberSet{
		entries:       load[pb.CounterRow](s.rows, schema.CounterKey(s.Owner, counter)).GetCount(),
		tombstones:    load[pb.CounterRow](s.rows, schema.CounterKey(s.Owner, counter.Tombstones())).GetCount(),
		limit:         perUnit * units,
		deleteReverse: deleteReverse,
	}, nil
}

func (s *transition) saveAccountSet(counter schema.Counter, set *memberSet) {
	s.rows.put(schema.CounterKey(s.Owner, counter), &pb.CounterRow{Count: set.entries})
	s.rows.put(schema.CounterKey(s.Owner, counter.Tombstones()), &pb.CounterRow{Count: set.tombstones})
}
