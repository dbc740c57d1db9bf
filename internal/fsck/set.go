package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// requireAge checks that an entry of a set, a tombstone or a prune marker has an age row.
func (c *checker) requireAge(row []byte, timestamp uint32) {
	if age := schema.AgeKey(row, timestamp); c.get(age) == nil {
		c.finding(BadDerived, age, "the age row of row %x is missing", row)
	}
}

func (c *checker) tombstone(r row, t *pb.TombstoneRow) {
	c.nonZeroTime(r, "timestamp", t.GetTimestamp())
	active := r.Removed.Bytes()
	if c.get(active) != nil {
		c.finding(BadTombstone, r.key, "row %x has a tombstone but is active", active)
	}
	c.requireCounter(r.Removed, schema.Counter.Tombstones)
	if r.Removed.Prefix != schema.PrefixMergeRequest {
		c.size(r, "requester_owner_address", t.GetRequesterOwnerAddress(), 0)
		c.requireAge(r.key, t.GetTimestamp())
		return
	}
	c.size(r, "requester_owner_address", t.GetRequesterOwnerAddress(), ident.AddressSize)
	requester := address(t.GetRequesterOwnerAddress())
	c.requireAccount(requester)
	if age := schema.RequestAgeKey(requester, t.GetTimestamp(), r.Removed.Project, r.Removed.ID); c.get(age) == nil {
		c.finding(BadDerived, age, "the age row of row %x is missing", r.key)
	}
}

func (c *checker) pruneMarker(r row, m *pb.PruneMarkerRow) {
	c.nonZeroTime(r, "timestamp", m.GetTimestamp())
	active := r.Removed.Bytes()
	if c.get(active) != nil {
		c.finding(BadTombstone, r.key, "row %x has a prune marker but is active", active)
	}
	if c.get(schema.TombstoneKey(active)) != nil {
		c.finding(BadTombstone, r.key, "row %x has a prune marker and a tombstone", active)
	}
	c.requireCounter(r.Removed, schema.Counter.Markers)
	c.requireAge(r.key, m.GetTimestamp())
}

// counterOf returns the counter of a set of an account. The counts of sets of projects are in the project row.
func counterOf(p schema.Prefix) (counter schema.Counter, ofAccount bool) {
	switch p {
	case schema.PrefixLink:
		return schema.CounterLinks, true
	case schema.PrefixReaction:
		return schema.CounterReactions, true
	case schema.PrefixVerification:
		return schema.CounterVerifications, true
	default:
		return 0, false
	}
}

// requireCounter checks that the row with the count of a member exists. The count is checked when that row is visited. kind
// returns the counter of tombstones or of prune markers; nil means that of entries.
func (c *checker) requireCounter(member *schema.Key, kind func(schema.Counter) schema.Counter) {
	counter, ofAccount := counterOf(member.Prefix)
	if !ofAccount {
		c.requireProject(member.Project)
		return
	}
	if kind != nil {
		counter = kind(counter)
	}
	if key := schema.CounterKey(member.Owner, counter); c.get(key) == nil {
		c.finding(WrongCount, key, "the account has counted rows but no counter of kind %#x", byte(counter))
	}
}

func (c *checker) counter(r row, n *pb.CounterRow) {
	counted := c.countMembers(r.Owner, schema.Counter(r.Tag))
	if counted == nil {
		c.finding(BadKey, r.key, "there is no counter of kind %#x", r.Tag)
		return
	}
	c.compareCount(r.key, "count", n.GetCount(), *counted)
}

// countMembers returns the number of rows that a counter counts, nil if there is no such counter.
func (c *checker) countMembers(owner ident.Address, counter schema.Counter) *uint32 {
	for _, p := range []schema.Prefix{schema.PrefixLink, schema.PrefixReaction, schema.PrefixVerification} {
		of, _ := counterOf(p)
		prefix := ownerPrefix(p, owner)
		switch counter {
		case of:
		case of.Tombstones():
			prefix = schema.TombstoneKey(prefix)
		case of.Markers():
			prefix = schema.PruneMarkerKey(prefix)
		default:
			continue
		}
		n := c.count(prefix)
		return &n
	}
	return nil
}

// age checks an age row, which orders members of a set or commits by age.
func (c *checker) age(key, value []byte) {
	if !bytes.Equal(value, schema.Present) {
		c.finding(BadDerived, key, "the value is %x, want %x", value, schema.Present)
	}
	if len(key) > 1 {
		switch schema.Prefix(key[1]) {
		case schema.PrefixCommit:
			c.commitAge(key)
			return
		case schema.PrefixProject:
			c.removedProject(key)
			return
		case schema.PrefixClosedMergeRequest:
			c.closedDerived(key, schema.ParseClosedAgeKey)
			return
		case schema.PrefixMergeRequestByRequester:
			c.closedDerived(key, schema.ParseClosedByRequesterKey)
			return
		}
	}
	row, timestamp, err := schema.ParseAgeKey(key)
	if err != nil {
		c.finding(BadKey, key, "%v", err)
		return
	}
	if age, err := schema.AgeOf(row, c.get(row)); err != nil || !bytes.Equal(age, key) {
		c.finding(BadDerived, key, "there is no row %x with timestamp %d", row, timestamp)
	}
}
