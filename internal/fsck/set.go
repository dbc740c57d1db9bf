package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// isSet says whether rows under a prefix are members of an add/remove set, whose oldest a quota prunes.
func isSet(p schema.Prefix) bool {
	switch p {
	case schema.PrefixVerification, schema.PrefixLink, schema.PrefixReaction, schema.PrefixCollaborator, schema.PrefixMergeRequest:
		return true
	default:
		return false
	}
}

// member checks what every member of a set has, whether it is active or a tombstone.
func (c *checker) member(active []byte, timestamp uint32) {
	if age := schema.AgeKey(active, timestamp); c.get(age) == nil {
		c.find(BadDerived, age, "the age row of member %x is missing", active)
	}
}

func (c *checker) tombstone(r row, t *pb.TombstoneRow) {
	c.since(r, "timestamp", t.GetTimestamp())
	active := r.Removed.Bytes()
	if c.get(active) != nil {
		c.find(BadTombstone, r.key, "the tombstone buries row %x, which is active", active)
	}
	if isSet(r.Removed.Prefix) {
		c.member(active, t.GetTimestamp())
	}
	c.needCounter(r.Removed, true)
}

func (c *checker) pruneMarker(r row, m *pb.PruneMarkerRow) {
	c.since(r, "timestamp", m.GetTimestamp())
	active := r.Removed.Bytes()
	if c.get(active) != nil {
		c.find(BadTombstone, r.key, "the prune marker buries row %x, which is active", active)
	}
	if c.get(schema.TombstoneKey(active)) != nil {
		c.find(BadTombstone, r.key, "row %x has a prune marker and a tombstone", active)
	}
	if _, ofAccount := counterOf(r.Removed.Prefix); !ofAccount {
		c.needProject(r.Removed.Project)
	}
}

// counterOf names the counter of a set of an account; projects count their own.
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

// needCounter needs the row that counts a member; whether it counts right is checked there.
func (c *checker) needCounter(member *schema.Key, buried bool) {
	counter, ofAccount := counterOf(member.Prefix)
	if !ofAccount {
		c.needProject(member.Project)
		return
	}
	if buried {
		counter = counter.Tombstones()
	}
	if key := schema.CounterKey(member.Owner, counter); c.get(key) == nil {
		c.find(WrongCount, key, "the account has rows to count but no counter of kind %#x", byte(counter))
	}
}

func (c *checker) counter(r row, n *pb.CounterRow) {
	counted := c.countMembers(r.Owner, schema.Counter(r.Tag))
	if counted == nil {
		c.find(BadKey, r.key, "there is no counter of kind %#x", r.Tag)
		return
	}
	c.equal(r.key, "count", n.GetCount(), *counted)
}

// countMembers counts what a counter counts, nil when there is no such counter.
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

// age checks a derived row that places a member of a set or a commit.
func (c *checker) age(key, value []byte) {
	if !bytes.Equal(value, schema.Present) {
		c.find(BadDerived, key, "the value is %x, want %x", value, schema.Present)
	}
	if len(key) > 1 && schema.Prefix(key[1]) == schema.PrefixCommit {
		c.commitAge(key)
		return
	}
	active, timestamp, err := schema.ParseAgeKey(key)
	if err != nil {
		c.find(BadKey, key, "%v", err)
		return
	}
	for _, placed := range [][]byte{active, schema.TombstoneKey(active)} {
		if at, err := schema.Timestamp(c.get(placed)); err == nil && at == timestamp {
			return
		}
	}
	c.find(BadDerived, key, "the age row places member %x at %d, where it is not", active, timestamp)
}
