package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestVisits checks the visits of messages and of their session: a search counts, refused or not, and a session that
// has read and written more rows uses more memory.
//
// Rules: P6.5.
func TestVisits(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(child(0, -1), child(1, -1), child(2, 1, 0), child(3, 1, 2), child(4, 3), child(5, 1))
	h.put("main", 0)
	h.Commit()
	session := h.Ledger.Begin(h.Rows, h.Block)
	apply := func(move message.RefMove) *ledger.Effects {
		t.Helper()
		before := session.Bytes()
		effects, _, err := session.Apply(h.Sign(h.owner, message.RefUpdate(h.project, "main", move)))
		if err != nil {
			t.Fatal(err)
		}
		if session.Bytes() <= before {
			t.Errorf("the session has %d bytes, had %d before the message", session.Bytes(), before)
		}
		return effects
	}
	if effects := apply(message.RefMove{New: numbered(1), Nonce: 2}); effects != nil || session.Visits() != 0 {
		t.Errorf("effects %v, %d visits: want a refusal without a search", effects, session.Visits())
	}
	if effects := apply(message.RefMove{New: numbered(5), Nonce: 2}); effects != nil || session.Visits() != 2 {
		t.Errorf("effects %v, %d visits: want a refusal after a search", effects, session.Visits())
	}
	// Commit 3 reaches commit 0 through second parents only.
	if effects := apply(message.RefMove{New: numbered(3), Nonce: 2}); effects == nil || effects.Visits != 3 || session.Visits() != 5 {
		t.Errorf("effects %v, %d visits", effects, session.Visits())
	}
	if effects := apply(message.RefMove{New: numbered(4), Nonce: 3}); effects == nil || effects.Visits != 0 || session.Visits() != 5 {
		t.Errorf("effects %v, %d visits", effects, session.Visits())
	}
}

// slowProject is a project with a graph that is slow to search.
type slowProject struct {
	*ledgertest.SlowGraph

	owner *ledgertest.Actor
}

// newSlowProject creates a project and its graph in the open block.
func newSlowProject(w *ledgertest.Chain, owner *ledgertest.Actor, name string, visits int) *slowProject {
	w.Helper()
	created := w.Sign(owner, message.ProjectCreate(name, pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.Must(created)
	p := &slowProject{SlowGraph: ledgertest.NewSlowGraph(created.Hash, visits), owner: owner}
	for _, bundle := range p.Bundles {
		w.Must(w.Sign(owner, bundle))
	}
	return p
}

// moves returns messages of an account of which every second one searches.
func (p *slowProject) moves(w *ledgertest.Chain, by ledgertest.Signer, ref string, searches int) []*message.Envelope {
	w.Helper()
	var messages []*message.Envelope
	for _, move := range p.Moves(ref, searches) {
		messages = append(messages, w.Sign(by, move))
	}
	return messages
}

// countBy returns how many messages act on each project.
func countBy(messages []*message.Envelope) map[ident.Hash]int {
	counts := make(map[ident.Hash]int)
	for _, m := range messages {
		project, _ := m.Project()
		counts[project]++
	}
	return counts
}

// TestMaxOwnerVisits proposes more searches in two projects of one owner, by two accounts, than an owner has per block,
// and checks that a block holds searches of the owner up to the limit, that only later messages for these projects are
// deferred, and that a block with one more is invalid.
//
// Rules: P6.5.
func TestMaxOwnerVisits(t *testing.T) {
	t.Parallel()
	const visits, searches = 500, 30
	const fit = ledger.MaxOwnerVisits / visits // searches
	w := ledgertest.New(t)
	alice, bob, carol := w.Join("alice", 1), w.Join("bob", 1), w.Join("carol", 1)
	first, second := newSlowProject(w, alice, "first", visits), newSlowProject(w, alice, "second", visits)
	if bytes.Compare(first.Project[:], second.Project[:]) > 0 {
		first, second = second, first
	}
	other := newSlowProject(w, bob, "other", visits)
	w.Must(w.Sign(alice, message.CollaboratorAdd(second.Project, carol.Address, pb.Permission_PERMISSION_WRITE)))
	w.Commit()

	candidates := slices.Concat(first.moves(w, alice, "main", searches), second.moves(w, carol, "main", searches), other.moves(w, bob, "main", searches))
	result, err := w.Ledger.Assemble(w.Rows, w.Block, candidates, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The message that moves the ref back does not search.
	want := map[ident.Hash]int{first.Project: 2 * searches, second.Project: 2*(fit-searches) + 1, other.Project: 2 * searches}
	if got := countBy(ledgertest.Messages(result)); !maps.Equal(got, want) || len(result.Refused) > 0 {
		t.Errorf("applied %v, want %v; refused %d", got, want, len(result.Refused))
	}
	if len(result.OverLimit) != 1 || result.OverLimit[0].Message != result.Deferred[0] || result.OverLimit[0].Owner != alice.Address {
		t.Errorf("over the limit: %v", result.OverLimit)
	}
	assembled := ledgertest.Messages(result)
	if _, err := w.Ledger.Execute(w.Rows, w.Block, assembled); err != nil {
		t.Errorf("the block as assembled: %v", err)
	}
	var invalid *ledger.InvalidBlockError
	beyond := ledger.Ordered(append(assembled, result.Deferred[0]))
	if _, err := w.Ledger.Execute(w.Rows, w.Block, beyond); !errors.As(err, &invalid) || invalid.Refusal != nil || beyond[invalid.Index] != result.Deferred[0] {
		t.Errorf("a block with one more search: %v", err)
	}
}

// TestRefusedVisits checks that the visits of refused messages count against the owner of their project while a block is
// assembled.
//
// Rules: P6.5.
func TestRefusedVisits(t *testing.T) {
	t.Parallel()
	const visits, searches = 900, ledger.MaxOwnerVisits / 900
	w := ledgertest.New(t)
	alice := w.Join("alice", 1)
	slow := newSlowProject(w, alice, "slow", visits)
	unrelated := ledgertest.Hash("unrelated")
	w.Must(w.Sign(alice, message.CommitBundle(slow.Project, message.Content{}, ledgertest.NewCommit(unrelated))))
	w.Must(w.Sign(alice, message.RefUpdate(slow.Project, "main", message.RefMove{New: unrelated, Nonce: 1})))
	w.Commit()
	var candidates []*message.Envelope
	for range searches + 2 {
		w.Next(1) // a message with another timestamp
		candidates = append(candidates, w.Sign(alice, message.RefUpdate(slow.Project, "main", message.RefMove{New: slow.Tip, Nonce: 2})))
	}
	result, err := w.Ledger.Assemble(w.Rows, w.Block, candidates, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Refused) != searches || len(result.Deferred) != 2 || len(result.Applied) > 0 {
		t.Errorf("%d refused, %d deferred, %d applied; want %d refused and the others deferred",
			len(result.Refused), len(result.Deferred), len(result.Applied), searches)
	}
}

// TestMaxBlockVisits proposes more searches of several owners than a block has, and checks that messages are deferred only
// for projects whose searches do not fit, and that searches for which visits are reserved always fit.
//
// Rules: P6.5.
func TestMaxBlockVisits(t *testing.T) {
	t.Parallel()
	const visits, owners = 1_000, ledger.MaxBlockVisits/ledger.MaxOwnerVisits + 2
	const searches = ledger.MaxOwnerVisits / visits
	w := ledgertest.New(t)
	projects := make([]*slowProject, owners)
	for i := range projects {
		name := fmt.Sprintf("owner-%d", i)
		projects[i] = newSlowProject(w, w.Join(name, 1), name, visits)
	}
	slices.SortFunc(projects, func(a, b *slowProject) int { return bytes.Compare(a.Project[:], b.Project[:]) })
	w.Next(1)
	last := projects[owners-1]
	candidates := []*message.Envelope{
		w.Sign(last.owner, message.ProjectMetadata(last.Project, pb.ProjectMetadataType_PROJECT_METADATA_LICENSE, "MIT")),
	}
	reserved := make(map[ident.Hash]int)
	for _, p := range projects {
		moves := p.moves(w, p.owner, "main", searches)
		candidates = append(candidates, moves...)
		for i := 1; i < len(moves) && p == last; i += 2 {
			reserved[moves[i].Hash] = visits
		}
	}
	check := func(reserved map[ident.Hash]int, want ...int) {
		t.Helper()
		result, err := w.Ledger.Assemble(w.Rows, w.Block, candidates, reserved)
		if err != nil {
			t.Fatal(err)
		}
		counts := countBy(ledgertest.Messages(result))
		got := make([]int, owners)
		for i, p := range projects {
			got[i] = counts[p.Project]
		}
		if !slices.Equal(got, want) || len(result.Refused) > 0 {
			t.Errorf("applied %d, want %d; refused %d", got, want, len(result.Refused))
		}
		if _, err := w.Ledger.Execute(w.Rows, w.Block, ledgertest.Messages(result)); err != nil {
			t.Errorf("the block as assembled: %v", err)
		}
	}
	// A project without a search in the block has the creation of its ref in it; the last one also its license.
	check(nil, 2*searches, 2*searches, 2*searches, 2*searches, 2*searches, 1, 2)
	check(reserved, 2*searches, 2*searches, 2*searches, 2*searches, 1, 1, 2*searches+1)
}
