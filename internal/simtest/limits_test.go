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

// Some limits are too large for the simulation to reach by chance. The tests below exceed them with the same checks.

// newLimitTest returns a steady chain on which the first user has a project.
func newLimitTest(t *testing.T) (*sim, *user, ident.Hash) {
	t.Helper()
	s := newSim(t, 1)
	s.steady = true
	s.act()
	s.commitBlock()
	p := s.users[0]
	s.sendNow(p, message.ProjectCreate("project", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	s.commitBlock()
	return s, p, s.projects[0]
}

// sendNow sends a message with the current time and a valid key.
func (s *sim) sendNow(p *user, data *pb.MessageData) {
	s.Helper()
	s.send(p.authors[0].Sign(uint32(s.block.Time), data))
}

// TestCommitLimit takes a project far over its limit of commits, with overlapping bundles and chains that no ref reaches.
// It checks that no reachable commit is pruned and that no past bundle can be replayed, also if another bundle had added
// its commits first.
//
// Rules: I2, I3, I10, P8.7, P9.4.
func TestCommitLimit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("simulates many commits")
	}
	s, p, project := newLimitTest(t)
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
		onRef := n%2 == 0 // no ref reaches the other chains
		if onRef {
			line = tip
		}
		for len(commits) < bundle {
			c := s.newCommit(line...)
			commits, line = append(commits, c), []ident.Hash{c.Hash}
		}
		s.sendNow(p, message.CommitBundle(project, message.Content{}, commits...))
		if onRef {
			tip = line
			s.sendNow(p, message.RefUpdate(project, "main", message.RefMove{New: tip[0], Nonce: uint64(n/2 + 1)}))
		}
		s.commitBlock()
		s.checkReplays(s.history)
	}
	if row := s.project(project); row.GetPrunedBundleTimestamp() == 0 || row.GetCommitCount() > ledger.MaxCommits+2*bundle {
		t.Errorf("the project has %d commits, pruned up to %d", row.GetCommitCount(), row.GetPrunedBundleTimestamp())
	}
	reached := 0
	for next := tip; len(next) > 0; reached++ {
		key := schema.CommitKey(project, next[0])
		if !s.has(key) {
			t.Fatalf("commit %s was pruned, but the ref reaches it", next[0])
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

// TestSetLimit fills the sets of an account beyond their limit, and checks that the oldest entries are pruned with their
// reverse rows and cannot be replayed.
//
// Rules: I2, I3, I4, P8.6, P9.2.
func TestSetLimit(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]struct {
		limit  int
		fill   func(s *sim, p *user, project ident.Hash, timestamp uint32) []schema.Change
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
			s, p, project := newLimitTest(t)
			const over = 3
			for range over {
				s.sendNow(p, message.CommitBundle(project, message.Content{}, s.newCommit()))
			}
			s.commitBlock()
			var rows []schema.Change
			for i := range set.limit {
				rows = append(rows, set.fill(s, p, project, 1_000+uint32(i))...)
			}
			rows = append(rows, stored(t, schema.CounterKey(p.Address, set.count), &pb.CounterRow{Count: uint32(set.limit)}))
			slices.SortFunc(rows, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
			if err := s.rows.Apply(rows); err != nil {
				t.Fatal(err)
			}
			s.admission = newAdmission(s.ledger, 1) // no block contains these rows
			for _, row := range rows {
				s.added[string(row.Key)] = true
			}
			for i := range over {
				s.sendNow(p, set.add(s, project, i))
				s.commitBlock()
			}
			if s.has(schema.PruneMarkerKey(rows[0].Key)) {
				t.Error("an entry that guards against no message left a prune marker")
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

// fillLink returns the rows of a follow.
func fillLink(s *sim, p *user, _ ident.Hash, timestamp uint32) []schema.Change {
	target, follow := s.address(), byte(pb.LinkType_LINK_TYPE_FOLLOW)
	key, row := schema.LinkKey(p.Address, follow, target[:]), &pb.LinkRow{Timestamp: timestamp}
	return []schema.Change{
		stored(s.T, key, row), stored(s.T, schema.LinkByTargetKey(follow, target[:], p.Address), row),
		{Key: schema.AgeKey(key, timestamp), Value: schema.Present},
	}
}

// fillReaction returns the rows of a like. The commit need not exist any more.
func fillReaction(s *sim, p *user, project ident.Hash, timestamp uint32) []schema.Change {
	commit, like := s.hash(), byte(pb.ReactionType_REACTION_TYPE_LIKE)
	key, row := schema.ReactionKey(p.Address, like, project, commit), &pb.ReactionRow{Timestamp: timestamp}
	return []schema.Change{
		stored(s.T, key, row), stored(s.T, schema.ReactionByTargetKey(like, project, commit, p.Address), row),
		{Key: schema.AgeKey(key, timestamp), Value: schema.Present},
	}
}
