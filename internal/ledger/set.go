package ledger

import (
	"bytes"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/message"
)

// MaxPrunedPerMessage bounds what one message prunes. A set that lost more quota than this shrinks over
// several messages.
const MaxPrunedPerMessage = 100

// memberSet is an add/remove set (P9.2) that belongs to an account or a project. Every member that ever
// was added and is not pruned is either an active entry or a tombstone, and has one age row, of its own time.
type memberSet struct {
	entries, tombstones uint32
	limit               uint64 // of both together
	// forget deletes what repeats an entry elsewhere, when the entry goes.
	forget func(key, value []byte)
}

func (m *memberSet) size() uint64 { return uint64(m.entries) + uint64(m.tombstones) }

// add makes the entry at key active, and prunes what is then over the limit.
func (s *step) add(set *memberSet, key []byte, row proto.Message) *message.Refusal {
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

// remove buries the entry at key. A removal wins a tie with the addition.
func (s *step) remove(set *memberSet, key []byte) *message.Refusal {
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
		return refuse(message.CodeStaleWrite, "timestamp %d is earlier than %d, that of the entry", at, activeAt)
	default:
		set.forget(key, value)
		s.rows.delete(key)
		s.rows.delete(schema.AgeKey(key, activeAt))
		set.entries--
		set.tombstones++
	}
	s.rows.put(schema.TombstoneKey(key), &pb.TombstoneRow{Timestamp: at})
	s.rows.insert(schema.AgeKey(key, at), schema.Present)
	return nil
}

// prune deletes the oldest members over the limit, entries and tombstones alike, and leaves their markers.
func (s *step) prune(set *memberSet, added []byte) *message.Refusal {
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
			return refuse(message.CodeQuotaExceeded, "the set is full (%d) and everything in it is newer", set.limit)
		}
		if value := s.rows.get(key); value != nil {
			set.forget(key, value)
			s.rows.delete(key)
			set.entries--
		} else {
			s.rows.delete(schema.TombstoneKey(key))
			set.tombstones--
		}
		s.rows.delete(age)
		s.rows.put(schema.PruneMarkerKey(key), &pb.PruneMarkerRow{Timestamp: at})
	}
	return nil
}

// accountSet is a set of the author, with its counts in counter rows. The author's quota is swept first.
func (s *step) accountSet(counter schema.Counter, perUnit uint64, forget func(key, value []byte)) (*memberSet, *message.Refusal) {
	units, refusal := s.needUnits(s.Owner)
	if refusal != nil {
		return nil, refusal
	}
	return &memberSet{
		entries:    load[pb.CounterRow](s.rows, schema.CounterKey(s.Owner, counter)).GetCount(),
		tombstones: load[pb.CounterRow](s.rows, schema.CounterKey(s.Owner, counter.Tombstones())).GetCount(),
		limit:      perUnit * units,
		forget:     forget,
	}, nil
}

func (s *step) saveAccountSet(counter schema.Counter, set *memberSet) {
	s.rows.put(schema.CounterKey(s.Owner, counter), &pb.CounterRow{Count: set.entries})
	s.rows.put(schema.CounterKey(s.Owner, counter.Tombstones()), &pb.CounterRow{Count: set.tombstones})
}

func forgetNothing(_, _ []byte) {}
