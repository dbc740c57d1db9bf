package ledger_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// TestShrunkenQuota checks that after most of an owner's storage expired each add prunes at most a hundred members, until
// the set is within its limit.
//
// Rules: P8.5, P8.6.
func TestShrunkenQuota(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	owner := w.Join("owner", 5) // 250 collaborators
	project := w.Sign(owner, message.ProjectCreate("project", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.Must(project)
	add := func(i int) {
		w.Helper()
		target := w.Actor(fmt.Sprintf("target-%d", i)).Address
		w.Must(w.Sign(owner, message.CollaboratorAdd(project.Hash, target, pb.Permission_PERMISSION_READ)))
	}
	for i := range 250 {
		if i%50 == 0 {
			w.Next(1)
		}
		add(i)
	}
	w.Next(1)
	w.Fund(owner, 1)
	// Only the last grant is left.
	w.SkipTo(ledgertest.Start + message.StorageTerm)
	for i, want := range []uint32{151, 52, 50, 50} {
		add(1_000 + i)
		var row pb.ProjectRow
		if w.Load(schema.ProjectKey(project.Hash), &row); row.GetCollaboratorCount() != want {
			t.Errorf("after add %d there are %d collaborators, want %d", i, row.GetCollaboratorCount(), want)
		}
	}
	if w.Load(schema.CollaboratorKey(project.Hash, w.Actor("target-199").Address), &pb.CollaboratorRow{}) {
		t.Error("an old collaborator remains")
	}
	if !w.Load(schema.CollaboratorKey(project.Hash, w.Actor("target-1003").Address), &pb.CollaboratorRow{}) {
		t.Error("the newest collaborator is missing")
	}
	w.Check()
}

// TestLinkQuota checks that one link beyond the quota prunes the oldest link and its reverse row.
//
// Rules: P8.6, I3.
func TestLinkQuota(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fills a quota")
	}
	w := ledgertest.New(t)
	a := w.Join("alice", 1)
	fan := func(i int) ident.Address { return ident.Address{byte(i >> 8), byte(i)} }
	for i := range schema.LinksPerUnit {
		w.Must(w.Sign(a, message.Follow(fan(i+1))))
	}
	w.Next(1)
	checkQuota(t, w, a, schema.CounterLinks, schema.LinksPerUnit)
	w.Must(w.Sign(a, message.Follow(fan(schema.LinksPerUnit+1))))
	checkQuota(t, w, a, schema.CounterLinks, schema.LinksPerUnit)
	first := fan(1)
	if w.Load(schema.LinkKey(a.Address, 1, first[:]), &pb.LinkRow{}) || w.Load(schema.LinkByTargetKey(1, first[:], a.Address), &pb.LinkRow{}) {
		t.Error("the oldest link remains")
	}
	w.Check()
}

// TestReactionQuota checks one reaction beyond the quota.
//
// Rules: P8.6, I3.
func TestReactionQuota(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fills a quota")
	}
	h := newHistory(t)
	for i := 0; i <= schema.ReactionsPerUnit; i += message.MaxCommits {
		last := min(i+message.MaxCommits-1, schema.ReactionsPerUnit)
		h.push(line(i, last)...)
		h.put("main", last) // keeps all commits reachable
	}
	for i := range schema.ReactionsPerUnit {
		h.Must(h.Sign(h.owner, message.Like(h.project, numbered(i))))
	}
	h.Next(1)
	h.Must(h.Sign(h.owner, message.Like(h.project, numbered(schema.ReactionsPerUnit))))
	checkQuota(t, h.Chain, h.owner, schema.CounterReactions, schema.ReactionsPerUnit)
	h.Check()
}

func checkQuota(t *testing.T, w *ledgertest.Chain, a *ledgertest.Actor, counter schema.Counter, want uint32) {
	t.Helper()
	var row pb.CounterRow
	if w.Load(schema.CounterKey(a.Address, counter), &row); row.GetCount() != want {
		t.Errorf("%d counted, want %d", row.GetCount(), want)
	}
}

// member is the state of one key of the set. At most one of active and tombstone is set.
type member struct{ active, tombstone, marker uint32 }

func (m member) counts() bool { return m.active > 0 || m.tombstone > 0 }
func (m member) at() uint32   { return max(m.active, m.tombstone) }

// setModel implements P9.2 and P8.6 for the collaborators of one project.
type setModel struct {
	project ident.Hash
	members map[ident.Address]member
	limit   int
	now     uint32 // the block time
}

// add returns the code with which an add is refused, or the empty string.
func (s *setModel) add(key ident.Address, at uint32) message.Code {
	m := s.members[key]
	if at <= max(m.active, m.tombstone, m.marker) {
		return message.CodeStaleWrite
	}
	before := maps.Clone(s.members)
	s.members[key] = member{active: at}
	for s.size() > s.limit {
		oldest := s.oldest()
		if oldest == key || s.markers() >= s.limit {
			s.members = before
			return message.CodeQuotaExceeded
		}
		marker := member{marker: s.members[oldest].at()}
		if delete(s.members, oldest); marker.marker+ledger.GuardPeriod >= s.now {
			s.members[oldest] = marker
		}
	}
	return ""
}

func (s *setModel) remove(key ident.Address, at uint32) message.Code {
	m := s.members[key]
	switch {
	case !m.counts():
		return message.CodeNotFound
	case m.active > 0 && at < m.active, m.active == 0 && at <= m.tombstone:
		return message.CodeStaleWrite
	}
	s.members[key] = member{tombstone: at}
	return ""
}

func (s *setModel) size() int {
	n := 0
	for _, m := range s.members {
		if m.counts() {
			n++
		}
	}
	return n
}

func (s *setModel) markers() int {
	n := 0
	for _, m := range s.members {
		if m.marker > 0 {
			n++
		}
	}
	return n
}

// dropExpired drops the tombstones and markers that are not needed any more.
func (s *setModel) dropExpired() {
	for key, m := range s.members {
		if m.active == 0 && max(m.tombstone, m.marker)+ledger.GuardPeriod < s.now {
			delete(s.members, key)
		}
	}
}

// oldest returns the tombstone with the lowest timestamp, then the lowest key, or else the entry.
func (s *setModel) oldest() (key ident.Address) {
	found := false
	for k, m := range s.members {
		if !m.counts() {
			continue
		}
		best := s.members[key]
		switch {
		case !found, m.tombstone > 0 && best.tombstone == 0:
			key, found = k, true
		case m.tombstone == 0 && best.tombstone > 0:
		case m.at() < best.at() || m.at() == best.at() && bytes.Compare(k[:], key[:]) < 0:
			key = k
		}
	}
	return key
}

// check compares the rows of the set with the model.
func (s *setModel) check(w *ledgertest.Chain) {
	w.Helper()
	var project pb.ProjectRow
	w.Load(schema.ProjectKey(s.project), &project)
	entries, tombstones := uint32(0), uint32(0)
	for key, m := range s.members {
		active := schema.CollaboratorKey(s.project, key)
		got := member{
			active:    timestampOf(w, active, &pb.CollaboratorRow{}),
			tombstone: timestampOf(w, schema.TombstoneKey(active), &pb.TombstoneRow{}),
			marker:    timestampOf(w, schema.PruneMarkerKey(active), &pb.PruneMarkerRow{}),
		}
		if got != m {
			w.Fatalf("%s is %+v, want %+v", key, got, m)
		}
		entries += min(m.active, 1)
		tombstones += min(m.tombstone, 1)
	}
	got := []uint32{project.GetCollaboratorCount(), project.GetCollaboratorTombstoneCount(), project.GetCollaboratorMarkerCount()}
	if want := []uint32{entries, tombstones, uint32(s.markers())}; !slices.Equal(got, want) {
		w.Fatalf("the project counts %d, want %d", got, want)
	}
	w.Check()
}

func timestampOf(w *ledgertest.Chain, key []byte, row interface {
	proto.Message
	GetTimestamp() uint32
},
) uint32 {
	w.Helper()
	w.Load(key, row)
	return row.GetTimestamp()
}

// TestSetsMatchModel adds and removes members at random around a small quota, and compares results and rows with the
// model.
//
// Rules: P8.6, P9.2, I3, I4.
func TestSetsMatchModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := ledgertest.New(t)
		owner := w.Join("owner", 1)
		project := w.Sign(owner, message.ProjectCreate("project", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
		w.Must(project)
		model := &setModel{project: project.Hash, members: map[ident.Address]member{}, limit: schema.CollaboratorsPerUnit}
		for i := range schema.CollaboratorsPerUnit - 4 {
			model.try(t, w, owner, ident.Address{1, byte(i)}, true, w.Now())
		}
		for range rapid.IntRange(1, 60).Draw(t, "operations") {
			key := ident.Address{2, byte(rapid.IntRange(0, 9).Draw(t, "target"))}
			if rapid.IntRange(0, 5).Draw(t, "next block") == 0 {
				w.Next(uint64(rapid.IntRange(1, 500).Draw(t, "delay")))
			}
			at := w.Now() + uint32(rapid.IntRange(-3, 3).Draw(t, "time"))
			model.try(t, w, owner, key, rapid.Bool().Draw(t, "add"), at)
		}
		model.check(w)
	})
}

// try applies one message and compares the result.
func (s *setModel) try(t *rapid.T, w *ledgertest.Chain, owner *ledgertest.Actor, key ident.Address, add bool, at uint32) {
	t.Helper()
	want := s.remove
	data := message.CollaboratorRemove(s.project, key)
	if add {
		want, data = s.add, message.CollaboratorAdd(s.project, key, pb.Permission_PERMISSION_WRITE)
	}
	// A refused message drops nothing.
	before := maps.Clone(s.members)
	s.now = w.Now()
	s.dropExpired()
	code := want(key, at)
	if code != "" {
		s.members = before
	}
	m := w.SignAt(owner, at, data)
	if code == "" {
		w.Must(m)
	} else {
		w.MustRefuse(m, code)
	}
}
