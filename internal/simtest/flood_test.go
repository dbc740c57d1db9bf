package simtest

import (
	"bytes"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// Some limits are too large for the simulation to reach by chance. Here they are passed on purpose, under the
// same checks.

// newFlood is a calm chain on which the first person has a project.
func newFlood(t *testing.T) (*sim, *person, ident.Hash) {
	t.Helper()
	s := newSim(t, 1)
	s.calm = true
	s.act()
	s.makeBlock()
	p := s.people[0]
	s.sayNow(p, message.ProjectCreate("flood", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	s.makeBlock()
	return s, p, s.projects[0]
}

// sayNow sends a message that is right in every respect.
func (s *sim) sayNow(p *person, data *pb.MessageData) {
	s.Helper()
	s.send(p.authors[0].Sign(uint32(s.block.Time), data))
}

// TestCommitFlood takes a project far over its limit of commits. Bundles overlap, as those of a client do that
// does not know what is known; lines of history stay behind without a ref. No commit that a ref reaches is
// lost, and no bundle of the past can bring back what was pruned, not even what it was not the first to bring.
//
// Rules: I2, I3, I10, P8.7, P9.4.
func TestCommitFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many commits")
	}
	t.Parallel()
	s, p, project := newFlood(t)
	const bundles, bundle, overlap = 13, message.MaxCommits, 100
	var strays []message.Commit
	var tip []ident.Hash
	for n := range bundles {
		commits := slices.Clone(strays)
		strays = strays[:0]
		for range overlap {
			strays = append(strays, s.newCommit())
		}
		commits = append(commits, strays...)
		var line []ident.Hash
		onRef := n%2 == 0 // the other lines are left behind, on nothing
		if onRef {
			line = tip
		}
		for len(commits) < bundle {
			c := s.newCommit(line...)
			commits, line = append(commits, c), []ident.Hash{c.Hash}
		}
		s.sayNow(p, message.CommitBundle(project, message.Content{}, commits...))
		if onRef {
			tip = line
			s.sayNow(p, message.RefUpdate(project, "main", message.RefMove{New: tip[0], Nonce: uint64(n/2 + 1)}))
		}
		s.makeBlock()
		s.checkReplays(s.history)
	}
	if row := s.project(project); row.GetPrunedBundleTimestamp() == 0 || row.GetCommitCount() > ledger.MaxCommits+2*bundle {
		t.Errorf("after the flood the project has %d commits, pruned up to %d", row.GetCommitCount(), row.GetPrunedBundleTimestamp())
	}
	reached := 0
	for next := tip; len(next) > 0; reached++ {
		key := schema.CommitKey(project, next[0])
		if !s.has(key) {
			t.Fatalf("commit %s was pruned though the ref reaches it", next[0])
		}
		next = nil
		for _, parent := range load[pb.CommitRow](s, key).GetParents() {
			next = append(next, ident.Hash(parent))
		}
	}
	if want := bundle - overlap + bundles/2*(bundle-2*overlap); reached != want {
		t.Errorf("the ref reaches %d commits, want %d", reached, want)
	}
}

// TestSetFlood fills the sets of an account up to their limit and beyond: the oldest go first, each with what
// repeats it elsewhere, and cannot return.
//
// Rules: I2, I3, I4, P8.6, P9.2.
func TestSetFlood(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]struct {
		limit  int
		fill   func(s *sim, p *person, project ident.Hash, timestamp uint32) []schema.Change
		count  schema.Counter
		prefix schema.Prefix
		add    func(s *sim, project ident.Hash, i int) *pb.MessageData
	}{
		"links": {
			schema.LinksPerUnit, fillLink, schema.CounterLinks, schema.PrefixLink,
			func(s *sim, _ ident.Hash, _ int) *pb.MessageData { return message.Follow(s.address()) },
		},
		"reactions": {
			schema.ReactionsPerUnit, fillReaction, schema.CounterReactions, schema.PrefixReaction,
			func(s *sim, project ident.Hash, i int) *pb.MessageData {
				return message.Like(project, s.commits(project)[i])
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, p, project := newFlood(t)
			const over = 3
			for range over {
				s.sayNow(p, message.CommitBundle(project, message.Content{}, s.newCommit()))
			}
			s.makeBlock()
			var rows []schema.Change
			for i := range set.limit {
				rows = append(rows, set.fill(s, p, project, 1_000+uint32(i))...)
			}
			rows = append(rows, stored(t, schema.CounterKey(p.Address, set.count), &pb.CounterRow{Count: uint32(set.limit)}))
			slices.SortFunc(rows, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
			if err := s.rows.Apply(rows); err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				s.born[string(row.Key)] = true
			}
			for i := range over {
				s.sayNow(p, set.add(s, project, i))
				s.makeBlock()
			}
			if got := s.seen.pruned[set.prefix]; got != over {
				t.Errorf("%d were pruned, want %d", got, over)
			}
			if n := load[pb.CounterRow](s, schema.CounterKey(p.Address, set.count)).GetCount(); int(n) != set.limit {
				t.Errorf("the set has %d members, want %d", n, set.limit)
			}
			s.checkReplays(s.history)
		})
	}
}

func stored(t *testing.T, key []byte, row proto.Message) schema.Change {
	t.Helper()
	value, err := schema.Encode(row)
	if err != nil {
		t.Fatal(err)
	}
	return schema.Change{Key: key, Value: value}
}

// fillLink is a follow of a person, as its rows stand.
func fillLink(s *sim, p *person, _ ident.Hash, timestamp uint32) []schema.Change {
	target, follow := s.address(), byte(pb.LinkType_LINK_TYPE_FOLLOW)
	key, row := schema.LinkKey(p.Address, follow, target[:]), &pb.LinkRow{Timestamp: timestamp}
	return []schema.Change{
		stored(s.T, key, row), stored(s.T, schema.LinkByTargetKey(follow, target[:], p.Address), row),
		{Key: schema.AgeKey(key, timestamp), Value: schema.Present},
	}
}

// fillReaction is a like of a person. The commit may be gone; that takes no like away.
func fillReaction(s *sim, p *person, project ident.Hash, timestamp uint32) []schema.Change {
	commit, like := s.hash(), byte(pb.ReactionType_REACTION_TYPE_LIKE)
	key, row := schema.ReactionKey(p.Address, like, project, commit), &pb.ReactionRow{Timestamp: timestamp}
	return []schema.Change{
		stored(s.T, key, row), stored(s.T, schema.ReactionByTargetKey(like, project, commit, p.Address), row),
		{Key: schema.AgeKey(key, timestamp), Value: schema.Present},
	}
}
