package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// isSet reports whether rows with a prefix are members of an add/remove set with a quota.
func isSet(p schema.Prefix) bool {
	switch p {
	case schema.PrefixVerification, schema.PrefixLink, schema.PrefixReaction, schema.PrefixCollaborator, schema.PrefixMergeRequest:
		return true
	default:
		return false
	}
}

// requireAge checks that a member of a set, active or a tombstone, has an age row.
func (c *checker) requireAge(active []byte, timestamp uint32) {
	if age := schema.AgeKey(active, timestamp); c.get(age) == nil {
		c.finding(BadDerived, age, "the age row of member %x is missing", active)
	}
}

func (c *checker) tombstone(r row, t *pb.TombstoneRow) {
	c.nonZeroTime(r, "timestamp", t.GetTimestamp())
	active := r.Removed.Bytes()
	if c.get(active) != nil {
		c.finding(BadTombstone, r.key, "row %x has a tombstone but is active", active)
	}
	if isSet(r.Removed.Prefix) {
		c.requireAge(active, t.GetTimestamp())
	}
	c.requireCounter(r.Removed, true)
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
	if _, ofAccount := counterOf(r.Removed.Prefix); !ofAccount {
		c.requireProject(r.Removed.Project)
	}
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

// requireCounter checks that the row with the count of a member exists. The count is checked when that row is visited.
func (c *checker) requireCounter(member *schema.Key, tombstone bool) {
	counter, ofAccount := counterOf(member.Prefix)
	if !ofAccount {
		c.requireProject(member.Project)
		return
	}
	if tombstone {
		counter = counter.Tombstones()
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
		if counter == of.Tombstones() {
			prefix = schema.TombstoneKey(prefix)
		} else if counter != of {
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
	if len(key) > 1 && schema.Prefix(key[1]) == schema.PrefixCommit {
		c.commitAge(key)
		return
	}
	active, timestamp, err := schema.ParseAgeKey(key)
	if err != nil {
		c.finding(BadKey, key, "%v", err)
		return
	}
	for _, stored := range [][]byte{active, schema.TombstoneKey(active)} {
		if at, err := schema.Timestamp(c.get(stored)); err == nil && at == timestamp {
			return
		}
	}
	c.finding(BadDerived, key, "there is no member %x with timestamp %d", active, timestamp)
}
