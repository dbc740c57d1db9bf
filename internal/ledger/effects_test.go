package ledger_test

import (
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestEffects checks the affected accounts and projects of each message type: the author first, then the others.
func TestEffects(t *testing.T) {
	t.Parallel()
	base := newStage(t)
	other, target := base.Actor("other").Address, base.Actor("target").Address
	stranger := base.guests[roleStranger].Address
	accounts := map[string][]ident.Address{
		"collaborator add": {other}, "collaborator remove": {target}, "merge request remove": {stranger}, "follow": {other},
	}
	projects := map[string][]ident.Hash{
		"archive": {base.hub}, "description": {base.hub}, "license": {base.hub}, "name": {base.hub}, "visibility": {base.hub},
		"ref update": {base.hub}, "ref delete": {base.hub}, "commit bundle": {base.hub}, "collaborator add": {base.hub},
		"collaborator remove": {base.hub}, "merge request add": {base.hub, base.fork}, "merge request remove": {base.hub},
		"fork": {base.hub}, "fork of a private project": {base.vault}, "project remove": {base.hub}, "star": {base.vault},
		"unstar": {base.hub}, "like": {base.hub}, "unlike": {base.hub},
	}
	for _, k := range kindsOfMessages() {
		s := base.branch(t)
		a := k.author(s)
		m := k.make(s, a, a.Author)
		effects := s.Must(m)
		if want := append([]ident.Address{a.Address}, accounts[k.name]...); !slices.Equal(effects.Accounts, want) {
			t.Errorf("%s: accounts %v, want %v", k.name, effects.Accounts, want)
		}
		want := projects[k.name]
		if k.kind == pb.MessageType_MESSAGE_TYPE_PROJECT_CREATE || k.kind == pb.MessageType_MESSAGE_TYPE_FORK {
			want = append([]ident.Hash{m.Hash}, want...)
		}
		if !slices.Equal(effects.Projects, want) {
			t.Errorf("%s: projects %v, want %v", k.name, effects.Projects, want)
		}
		if isRef := effects.Ref != nil; isRef != (k.name == "ref update" || k.name == "ref delete") {
			t.Errorf("%s: ref %v", k.name, effects.Ref)
		}
		if effects.Reads == 0 {
			t.Errorf("%s: no reads are counted", k.name)
		}
	}
}

// TestEffectsRef checks the ref changes of creating, updating, forcing and deleting a ref.
func TestEffectsRef(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	none := ident.Hash{}
	check := func(data *pb.MessageData, want ledger.RefChange) {
		t.Helper()
		effects := s.Must(s.Sign(s.owner, data))
		got := *effects.Ref
		if string(got.Name) != "topic" || got.Project != s.hub {
			t.Errorf("ref %q of project %s", got.Name, got.Project)
		}
		if got.Old != want.Old || got.New != want.New || got.Nonce != want.Nonce || got.Force != want.Force {
			t.Errorf("change %+v, want %+v", got, want)
		}
	}
	move := func(to ident.Hash, nonce uint64, force bool) *pb.MessageData {
		return message.RefUpdate(s.hub, "topic", message.RefMove{New: to, Nonce: nonce, Force: force})
	}
	check(move(s.one, 1, false), ledger.RefChange{Old: none, New: s.one, Nonce: 1})
	check(move(s.two, 2, false), ledger.RefChange{Old: s.one, New: s.two, Nonce: 2})
	check(move(s.one, 3, true), ledger.RefChange{Old: s.two, New: s.one, Nonce: 3, Force: true})
	check(message.RefDelete(s.hub, "topic", none, 4), ledger.RefChange{Old: s.one, New: none, Nonce: 4})
}

// TestEffectsOfSweep checks that the account that loses its username to the author is affected.
func TestEffectsOfSweep(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	lapsed := w.Join("lapsed", 1)
	w.SkipTo(ledgertest.Start + message.StorageTerm)
	heir := w.Join("heir", 0)
	w.Fund(heir, 1)
	effects := w.Must(w.Sign(heir, message.UsernameCreate("lapsed")))
	if want := []ident.Address{heir.Address, lapsed.Address}; !slices.Equal(effects.Accounts, want) {
		t.Errorf("accounts %v, want %v", effects.Accounts, want)
	}
}
