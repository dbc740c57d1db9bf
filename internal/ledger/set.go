package ledger

import (
	"bytes"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/message"
)

// Limits of the work of one message on a set (P8.6, P9.2).
const (
	// MaxPrunedPerMessage is the maximum number of members that one message prunes. A set whose quota shrank by more is
	// pruned over several messages.
	MaxPrunedPerMessage = 100
	// MaxDroppedPerMessage is the maximum number of tombstones and prune markers that one message drops.
	MaxDroppedPerMessage = 100
)

// GuardPeriod is the time, in seconds of block time after its timestamp, for which a tombstone or a prune marker is kept.
// It refuses messages that are not later than it. Those must be within MaxDrift of the block time, so none of them can
// apply any more.
const GuardPeriod = 2 * MaxDrift

// memberSet is an add/remove set (P9.2) of an account or a project.
type memberSet struct {
	entries, tombstones, markers uint32
	limit                        uint64 // of entries and tombstones together, and of prune markers
	// deleteReverse deletes the reverse rows of an entry that is removed or pruned. It is nil if there are none.
	deleteReverse func(key, value []byte)
}

func (m *memberSet) size() uint64 { return uint64(m.entries) + uint64(m.tombstones) }

// putAged writes a row and its age row.
func (s *transition) putAged(key []byte, row proto.Message) {
	s.deleteAge(key)
	s.rows.put(key, row)
	age, err := schema.AgeOf(key, s.rows.get(key))
	s.rows.fail(err)
	if age != nil {
		s.rows.insert(age, schema.Present)
	}
}

// deleteAged deletes a row and its age row.
func (s *transition) deleteAged(key []byte) {
	s.deleteAge(key)
	s.rows.delete(key)
}

func (s *transition) deleteAge(key []byte) {
	value := s.rows.get(key)
	if value == nil {
		return
	}
	age, err := schema.AgeOf(key, value)
	s.rows.fail(err)
	if age != nil {
		s.rows.deleteKnown(age, schema.Present)
	}
}

// guards reports whether a tombstone or a prune marker with a timestamp can still refuse a message that would apply
// without it.
func (s *transition) guards(timestamp uint32) bool {
	return !s.passed(uint64(timestamp) + GuardPeriod)
}

// expired returns the keys of the oldest tombstones or prune markers that refuse no message any more, of the age rows
// with a prefix.
func (s *transition) expired(prefix []byte, most int) [][]byte {
	s.rows.record.scan()
	return s.expiredUnrecorded(prefix, most)
}

// expiredUnrecorded is expired for rows that change only together with a row that the message has read.
func (s *transition) expiredUnrecorded(prefix []byte, most int) [][]byte {
	var keys [][]byte
	s.rows.scanUnrecorded(prefix, func(age, _ []byte) bool {
		key, at, err := schema.ParseAgeKey(age)
		if s.rows.fail(err); err != nil || s.guards(at) {
			return false
		}
		keys = append(keys, key)
		return len(keys) < most
	})
	return keys
}

// dropExpired drops tombstones and prune markers of the set with the member at key that refuse no message any more.
func (s *transition) dropExpired(set *memberSet, key []byte) {
	dropped := 0
	if set.tombstones > 0 {
		for _, tombstone := range s.expired(schema.AgePrefix(schema.TombstoneKey(key)), MaxDroppedPerMessage) {
			s.deleteAged(tombstone)
			set.tombstones--
			dropped++
		}
	}
	if set.markers > 0 && dropped < MaxDroppedPerMessage {
		for _, marker := range s.expired(schema.AgePrefix(schema.PruneMarkerKey(key)), MaxDroppedPerMessage-dropped) {
			s.deleteAged(marker)
			set.markers--
		}
	}
}

// deleteEntry deletes an active entry and its reverse rows.
func (s *transition) deleteEntry(set *memberSet, key, value []byte) {
	if set.deleteReverse != nil {
		set.deleteReverse(key, value)
	}
	s.deleteAged(key)
	set.entries--
}

// add adds or updates the entry at key, and prunes members beyond the limit.
func (s *transition) add(set *memberSet, key []byte, row proto.Message) *message.Refusal {
	s.dropExpired(set, key)
	tombstone, marker := schema.TombstoneKey(key), schema.PruneMarkerKey(key)
	stored := max(s.rows.timestamp(key), s.rows.timestamp(tombstone), s.rows.timestamp(marker))
	if s.timestamp() <= stored {
		return s.staleWrite("the entry, its removal or its pruning", stored)
	}
	if !s.rows.has(key) {
		set.entries++
	}
	if s.rows.has(tombstone) {
		s.deleteAged(tombstone)
		set.tombstones--
	}
	if s.rows.has(marker) {
		s.deleteAged(marker)
		set.markers--
	}
	s.putAged(key, row)
	return s.prune(set, key)
}

// remove replaces the entry at key by a tombstone. A removal with the same timestamp as the addition wins.
func (s *transition) remove(set *memberSet, key []byte) *message.Refusal {
	s.dropExpired(set, key)
	at, value := s.timestamp(), s.rows.get(key)
	activeAt, tombstoneAt := s.rows.timestamp(key), s.rows.timestamp(schema.TombstoneKey(key))
	switch {
	case value == nil && tombstoneAt == 0:
		return refuse(message.CodeNotFound, "there is no such entry to remove")
	case value == nil && at <= tombstoneAt:
		return s.staleWrite("the removal", tombstoneAt)
	case value == nil:
	case at < activeAt:
		return refuse(message.CodeStaleWrite, "timestamp %d is earlier than %d, the timestamp of the entry", at, activeAt)
	default:
		s.deleteEntry(set, key, value)
		set.tombstones++
	}
	s.putAged(schema.TombstoneKey(key), &pb.TombstoneRow{Timestamp: at})
	return nil
}

// prune deletes the oldest tombstones beyond the limit, and then the oldest entries. Those that still guard against a
// message leave a prune marker.
func (s *transition) prune(set *memberSet, added []byte) *message.Refusal {
	if set.size() <= set.limit {
		return nil
	}
	over := int(min(set.size()-set.limit, MaxPrunedPerMessage))
	victims := s.oldest(schema.AgePrefix(schema.TombstoneKey(added)), over)
	victims = append(victims, s.oldest(schema.AgePrefix(added), over-len(victims))...)
	for _, victim := range victims {
		if bytes.Equal(victim, added) {
			return refuse(message.CodeQuotaExceeded, "the set has reached its limit of %d and all other members are newer", set.limit)
		}
	}
	if s.rows.err != nil {
		return nil //nolint:nilerr // Apply returns the error of the rows
	}
	switch {
	case len(victims) < over:
		return refuse(message.CodeQuotaExceeded, "the set has reached its limit of %d, and its other members are never pruned", set.limit)
	case uint64(set.markers) >= set.limit:
		return refuse(message.CodeQuotaExceeded, "%d members of the set were pruned in the last %d s, which is the limit", set.markers, GuardPeriod)
	}
	for _, victim := range victims {
		s.pruneMember(set, victim)
	}
	return nil
}

// oldest returns the keys of the rows of the oldest age rows with a prefix.
func (s *transition) oldest(prefix []byte, most int) [][]byte {
	var keys [][]byte
	if most == 0 {
		return nil
	}
	s.rows.scan(prefix, func(age, _ []byte) bool {
		key, _, err := schema.ParseAgeKey(age)
		s.rows.fail(err)
		keys = append(keys, key)
		return err == nil && len(keys) < most
	})
	return keys
}

// pruneMember deletes an entry or a tombstone, and leaves a prune marker if it still guards against a message.
func (s *transition) pruneMember(set *memberSet, key []byte) {
	at, active := s.rows.timestamp(key), key
	if schema.Prefix(key[0]) == schema.PrefixTombstone {
		active = key[1:]
		s.deleteAged(key)
		set.tombstones--
	} else {
		s.deleteEntry(set, key, s.rows.get(key))
	}
	if s.guards(at) {
		s.putAged(schema.PruneMarkerKey(active), &pb.PruneMarkerRow{Timestamp: at})
		set.markers++
	}
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
		markers:       load[pb.CounterRow](s.rows, schema.CounterKey(s.Owner, counter.Markers())).GetCount(),
		limit:         perUnit * units,
		deleteReverse: deleteReverse,
	}, nil
}

func (s *transition) saveAccountSet(counter schema.Counter, set *memberSet) {
	s.rows.put(schema.CounterKey(s.Owner, counter), &pb.CounterRow{Count: set.entries})
	s.rows.put(schema.CounterKey(s.Owner, counter.Tombstones()), &pb.CounterRow{Count: set.tombstones})
	s.rows.put(schema.CounterKey(s.Owner, counter.Markers()), &pb.CounterRow{Count: set.markers})
}
