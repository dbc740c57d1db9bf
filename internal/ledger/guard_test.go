package ledger_test

import (
	"fmt"
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// countRows returns the number of rows with a prefix.
func countRows(w *ledgertest.Chain, prefix ...byte) int {
	w.Helper()
	w.Commit()
	n := 0
	if err := w.Rows.Scan(prefix, schema.After(prefix), func(_, _ []byte) bool { n++; return true }); err != nil {
		w.Fatalf("%v", err)
	}
	return n
}

// TestTombstonesAreDropped removes members of a set and checks that later messages to the set drop the tombstones more
// than 600 s after their timestamp, at most a hundred each, and that nothing can be replayed meanwhile and afterwards.
//
// Rules: P9.2, I2, I3.
func TestTombstonesAreDropped(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a := w.Join("alice", 1)
	const removed = 150
	target := func(i int) ident.Address { return ident.Address{1, byte(i)} }
	var all []*message.Envelope
	apply := func(m *message.Envelope) {
		w.Helper()
		w.Must(m)
		all = append(all, m)
	}
	for i := range removed {
		apply(w.Sign(a, message.Follow(target(i))))
	}
	w.Next(300)
	for i := range removed {
		apply(w.SignAt(a, w.Now()+ledger.MaxDrift, message.Unfollow(target(i))))
	}
	replay := func() {
		w.Helper()
		for _, m := range all {
			if _, refusal := w.Apply(m); refusal == nil {
				w.Fatalf("%s applied again at time %d", m.Type(), w.Block.Time)
			}
		}
	}
	replay()
	w.Next(ledger.MaxDrift + ledger.GuardPeriod)
	apply(w.Sign(a, message.Follow(ident.Address{2})))
	replay()
	if n := countRows(w, byte(schema.PrefixTombstone)); n != removed {
		t.Errorf("%d tombstones 600 s after their timestamp, want %d", n, removed)
	}
	w.Next(1)
	for i, want := range []int{removed - ledger.MaxDroppedPerMessage, 0, 0} {
		apply(w.Sign(a, message.Follow(ident.Address{3, byte(i)})))
		if n := countRows(w, byte(schema.PrefixTombstone)); n != want {
			t.Errorf("%d tombstones after message %d, want %d", n, i, want)
		}
		replay()
		w.Check()
	}
	if countRows(w, schema.CounterKey(a.Address, schema.CounterLinks.Tombstones())...) != 0 {
		t.Error("dropped tombstones are counted")
	}
}

// TestMarkerLimit fills a set several times within 600 s and checks that the number of prune markers is limited, and that
// they are dropped afterwards.
//
// Rules: P8.6, P9.2.
func TestMarkerLimit(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a := w.Join("alice", 1)
	create := w.Sign(a, message.ProjectCreate("project", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.Must(create)
	add := func(i int) *message.Envelope {
		return w.Sign(a, message.CollaboratorAdd(create.Hash, ident.Address{byte(i >> 8), byte(i), 1}, pb.Permission_PERMISSION_READ))
	}
	for i := range 2 * schema.CollaboratorsPerUnit {
		w.Next(1)
		w.Must(add(i))
	}
	w.MustRefuse(add(999), message.CodeQuotaExceeded)
	if n := countRows(w, byte(schema.PrefixPruneMarker)); n != schema.CollaboratorsPerUnit {
		t.Errorf("%d prune markers, want %d", n, schema.CollaboratorsPerUnit)
	}
	w.Check()
	w.Next(ledger.GuardPeriod)
	w.Must(add(999))
	// The newest entries were not yet old enough to be pruned without a marker; those that were left none.
	if n := countRows(w, byte(schema.PrefixPruneMarker)); n != 0 {
		t.Errorf("%d prune markers after %d s, want none", n, ledger.GuardPeriod)
	}
	w.Check()
}

// TestOwnersAreNotPruned checks that an ADMIN who fills the set of collaborators does not cause OWNER entries to be pruned.
//
// Rules: P9.7, P8.6.
func TestOwnersAreNotPruned(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	owner, admin := w.Join("owner", 1), w.Join("admin", 1)
	create := w.Sign(owner, message.ProjectCreate("project", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.Must(create)
	add := func(by *ledgertest.Actor, i int, permission pb.Permission) *message.Envelope {
		return w.Sign(by, message.CollaboratorAdd(create.Hash, ident.Address{byte(i >> 8), byte(i), 1}, permission))
	}
	const owners = 10
	for i := range owners {
		w.Must(add(owner, i, pb.Permission_PERMISSION_OWNER))
	}
	w.Next(1)
	w.Must(w.Sign(owner, message.CollaboratorAdd(create.Hash, admin.Address, pb.Permission_PERMISSION_ADMIN)))
	count := func() (n int) {
		w.Helper()
		for i := range owners {
			var row pb.CollaboratorRow
			w.Load(schema.CollaboratorKey(create.Hash, ident.Address{byte(i >> 8), byte(i), 1}), &row)
			if row.GetPermission() == pb.Permission_PERMISSION_OWNER {
				n++
			}
		}
		return n
	}
	for i := range 2 * schema.CollaboratorsPerUnit {
		w.Next(60)
		by := admin
		if i >= schema.CollaboratorsPerUnit-owners-1 { // the next one prunes the admin
			by = owner
		}
		w.Must(add(by, 100+i, pb.Permission_PERMISSION_ADMIN))
	}
	if n := count(); n != owners {
		t.Fatalf("%d of %d OWNER entries remain", n, owners)
	}
	// When only OWNER entries are left, another member is refused.
	for i := range schema.CollaboratorsPerUnit - owners {
		w.Next(60)
		w.Must(add(owner, owners+i, pb.Permission_PERMISSION_OWNER))
	}
	w.MustRefuse(add(owner, 999, pb.Permission_PERMISSION_OWNER), message.CodeQuotaExceeded)
	w.MustRefuse(add(owner, 999, pb.Permission_PERMISSION_READ), message.CodeQuotaExceeded)
	w.Must(w.Sign(owner, message.CollaboratorRemove(create.Hash, ident.Address{0, 0, 1})))
	w.Must(add(owner, 999, pb.Permission_PERMISSION_READ))
	w.Check()
}

// TestRefTombstoneLimit checks that the number of deleted refs that a project remembers is limited, that names which are
// remembered can be used again at the limit, and that the limit ends after 600 s.
//
// Rules: P8.6, P9.3.
func TestRefTombstoneLimit(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(line(0, 0)...)
	create := func(i int) *message.Envelope {
		return h.Sign(h.owner, message.RefUpdate(h.project, fmt.Sprint("ref-", i), message.RefMove{New: numbered(0), Nonce: 1}))
	}
	for i := range ledger.MaxRefRows {
		h.Must(create(i))
		h.Must(h.Sign(h.owner, message.RefDelete(h.project, fmt.Sprint("ref-", i), numbered(0), 2)))
	}
	h.MustRefuse(create(ledger.MaxRefRows), message.CodeQuotaExceeded)
	h.Next(1)
	h.Must(create(7))
	h.MustRefuse(create(ledger.MaxRefRows), message.CodeQuotaExceeded)
	h.Check()
	h.Next(ledger.GuardPeriod)
	h.Must(create(ledger.MaxRefRows))
	var row pb.ProjectRow
	h.Load(schema.ProjectKey(h.project), &row)
	if want := uint32(ledger.MaxRefRows - 1 - ledger.MaxDroppedPerMessage); row.GetRefTombstoneCount() != want || row.GetRefCount() != 2 {
		t.Errorf("%d refs and %d tombstones, want 2 and %d", row.GetRefCount(), row.GetRefTombstoneCount(), want)
	}
	h.Check()
}

// TestRefReplay deletes and creates a ref many times, with timestamps at their limits, and checks after each step that no
// message that applied before applies again, also after tombstones are dropped.
//
// Rules: I2, P9.3, P6.4.
func TestRefReplay(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(line(0, 5)...)
	var all []*message.Envelope
	apply := func(at uint32, data *pb.MessageData) {
		h.Helper()
		m := h.SignAt(h.owner, at, data)
		h.Must(m)
		all = append(all, m)
		for _, past := range all {
			if _, refusal := h.Apply(past); refusal == nil {
				h.Fatalf("%v of time %d applied again at %d", past.Data.GetBody(), past.Data.GetTimestamp(), h.Block.Time)
			}
		}
	}
	// Each cycle creates the ref, moves it twice and deletes it; the offsets are from the block time.
	cycles := []struct {
		wait                        uint64
		create, move, again, remove int
	}{
		{600, -300, 300, -300, -300}, // the latest timestamp is that of the first move
		{1, -300, -300, 300, -300},
		{1, -300, -300, -300, 300},
		{601, -300, -300, -300, -300},
		{301, -300, 0, 0, 300},
		{600, 1, 300, 1, 1}, // the tombstone is exactly as old as it may be
		{1, 300, 300, 300, 300},
		{299, 300, 300, 300, 300},
		{901, -300, -300, -300, 300},
		{901, -300, -299, -300, -300},
		{5_000, 0, 0, 0, 0},
		{1, 0, 0, 0, 0},
	}
	for _, c := range cycles {
		h.Next(c.wait)
		now := int(h.Block.Time)
		// A message about another ref drops the tombstones that are old enough.
		apply(uint32(now), message.RefUpdate(h.project, fmt.Sprint("other-", now), message.RefMove{New: numbered(0), Nonce: 1}))
		// A later ref must be later than the tombstone, if that still exists.
		var tombstone pb.TombstoneRow
		h.Load(schema.TombstoneKey(schema.RefKey(h.project, []byte("main"))), &tombstone)
		at := uint32(max(now+c.create, int(tombstone.GetTimestamp())+1))
		apply(at, message.RefUpdate(h.project, "main", message.RefMove{New: numbered(0), Nonce: 1}))
		apply(max(at, uint32(now+c.move)), message.RefUpdate(h.project, "main", message.RefMove{New: numbered(3), Nonce: 2}))
		apply(max(at, uint32(now+c.again)), message.RefUpdate(h.project, "main", message.RefMove{New: numbered(5), Nonce: 3}))
		apply(max(at, uint32(now+c.remove)), message.RefDelete(h.project, "main", numbered(5), 4))
		h.Check()
	}
}

// TestMergeRequestsOfOthersStay checks that an account that opens and withdraws merge requests neither removes those of
// other accounts nor uses quota of the project.
//
// Rules: P8.6, P9.8, I9.
func TestMergeRequestsOfOthersStay(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	owner, victim, stranger, other := w.Join("owner", 1), w.Join("victim", 1), w.Join("stranger", 50), w.Join("other", 1)
	commit := ledgertest.Hash("commit")
	create := w.Sign(owner, message.ProjectCreate("project", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.Must(create)
	w.Must(w.Sign(owner, message.CommitBundle(create.Hash, message.Content{}, ledgertest.NewCommit(commit))))
	fork := w.Sign(owner, message.Fork(create.Hash, commit, "fork", pb.Visibility_VISIBILITY_PUBLIC))
	w.Must(fork)
	w.Must(w.Sign(owner, message.RefUpdate(fork.Hash, "main", message.RefMove{New: commit, Nonce: 1})))
	open := func(by *ledgertest.Actor, title string) *message.Envelope {
		return w.Sign(by, message.MergeRequestAdd(create.Hash, message.MergeProposal{
			Source: fork.Hash, SourceRef: "main", SourceCommit: commit, TargetRef: "main", Title: title,
		}))
	}
	var kept []*message.Envelope
	for i := range schema.MergeRequestsOfOnePerOwnerUnit {
		m := open(victim, fmt.Sprint("kept ", i))
		w.Must(m)
		kept = append(kept, m)
	}
	for i := range 4 * schema.MergeRequestsPerOwnerUnit {
		w.Next(1)
		m := open(stranger, fmt.Sprint("withdrawn ", i))
		w.Must(m)
		w.Must(w.Sign(stranger, message.MergeRequestRemove(create.Hash, m.Hash)))
	}
	if i := slices.IndexFunc(kept, func(m *message.Envelope) bool {
		return !w.Load(schema.MergeRequestKey(create.Hash, m.Hash), &pb.MergeRequestRow{})
	}); i >= 0 {
		t.Fatalf("merge request %d of another account is gone", i)
	}
	// The stranger can keep half of the project's quota open, and the other half stays usable for others.
	for i := range schema.MergeRequestsOfOnePerOwnerUnit {
		w.Must(open(stranger, fmt.Sprint("open ", i)))
	}
	w.MustRefuse(open(other, "no room"), message.CodeQuotaExceeded)
	w.Must(w.Sign(owner, message.MergeRequestRemove(create.Hash, kept[0].Hash)))
	w.Must(open(other, "room"))
	w.Check()
}

// TestGrantLimit checks that an account has at most MaxGrants active grants, and that expired ones do not count.
//
// Rules: P8.2.
func TestGrantLimit(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a := w.Actor("alice")
	w.Fund(a, 3)
	var row pb.AccountRow
	w.Load(schema.AccountKey(a.Address), &row)
	if row.GetGrantCount() != 1 || row.GetStorageUnits() != 3 {
		t.Fatalf("account %v", &row)
	}
	row.GrantCount = ledger.MaxGrants
	w.Commit()
	if err := w.Rows.Put(schema.AccountKey(a.Address), &row); err != nil {
		t.Fatal(err)
	}
	claim := func() *message.Envelope {
		return made(a.StorageClaim(w.Now(), ledgertest.Domain(), message.Settlement{
			Actor: a.Address, Units: 1, TxHash: ledgertest.Hash("payment"), Timestamp: w.Block.Time,
		}, ledgertest.Attester(0), ledgertest.Attester(1)))
	}
	w.MustRefuse(claim(), message.CodeQuotaExceeded)
	w.SkipTo(ledgertest.Start + message.StorageTerm + 1)
	w.Must(claim())
	if w.Load(schema.AccountKey(a.Address), &row); row.GetGrantCount() != ledger.MaxGrants || row.GetStorageUnits() != 1 {
		t.Errorf("%d grants and %d units, want %d and 1", row.GetGrantCount(), row.GetStorageUnits(), ledger.MaxGrants)
	}
}
