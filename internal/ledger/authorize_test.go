package ledger_test

import (
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// author returns an account for which the message of a row applies. A username is created by an account without one.
func (k *kindOfMessage) author(s *stage) *ledgertest.Actor {
	if slices.Contains(k.roles, "unnamed") {
		a := s.Join("unnamed", 0)
		s.Fund(a, 1)
		return a
	}
	return s.owner
}

// TestTableHasEveryType checks that the table of this test contains every message type.
//
// Rules: P3/phases.
func TestTableHasEveryType(t *testing.T) {
	t.Parallel()
	seen := map[pb.MessageType]bool{}
	base := newStage(t)
	for _, k := range kindsOfMessages() {
		seen[k.kind] = true
		s := base.branch(t)
		a := k.author(s)
		m := k.make(s, a, a.Author)
		if m.Type() != k.kind {
			t.Errorf("%s: has type %s", k.name, m.Type())
		}
		if m.Phase() != k.phase || m.TimeSensitive() != k.sensitive {
			t.Errorf("%s: phase %s, time sensitive %t, want %s and %t", k.name, m.Phase(), m.TimeSensitive(), k.phase, k.sensitive)
		}
		if _, grouped := m.Project(); grouped != (k.phase == message.ProjectPhase) {
			t.Errorf("%s: has a project: %t", k.name, grouped)
		}
	}
	if len(seen) != len(pb.MessageType_name)-1 {
		t.Errorf("%d types, want %d", len(seen), len(pb.MessageType_name)-1)
	}
}

// TestScopes checks which scopes may sign each type, and that unregistered keys and keys of other accounts may not.
//
// Rules: P1.3, P3/authority, P3.3.
func TestScopes(t *testing.T) {
	t.Parallel()
	base := newStage(t)
	for _, k := range kindsOfMessages() {
		for _, scope := range []pb.KeyScope{pb.KeyScope_KEY_SCOPE_OWNER, pb.KeyScope_KEY_SCOPE_SIGNING, pb.KeyScope_KEY_SCOPE_AGENT} {
			s := base.branch(t)
			a := k.author(s)
			key := s.AddKey(a, scope.String(), scope)
			checkAuthorization(t, s, k.name, k.make(s, a, key), int(scope) <= k.scope, message.CodeInsufficientScope)
		}
		s := base.branch(t)
		a := k.author(s)
		stolen := message.NewAuthor(ledgertest.Secret("delegated", "stan", ledgertest.MainKey), ledgertest.Network, a.Address)
		for _, key := range []*message.Author{a.With("unregistered"), stolen} {
			b := s.branch(t)
			checkAuthorization(t, b, k.name, k.make(b, a, key), k.scope == anyKey, message.CodeUnknownSigner)
		}
	}
}

// TestPermissions checks which roles in a project may send each type.
//
// Rules: P3/authority, P3.1.
func TestPermissions(t *testing.T) {
	t.Parallel()
	base := newStage(t)
	for _, k := range kindsOfMessages() {
		if !isAboutProject(k) {
			continue
		}
		for _, role := range []string{roleOwner, roleGranted, roleAdmin, roleWrite, roleRead, roleStranger} {
			s := base.branch(t)
			a := s.guests[role]
			allowed := k.roles == nil || slices.Contains(k.roles, role)
			checkAuthorization(t, s, k.name+" by "+role, k.make(s, a, a.Author), allowed, message.CodeInsufficientPermission)
		}
	}
}

// isAboutProject reports whether the roles of a row are permissions in a project. For other rows they only list the
// accounts that have an entry to remove.
func isAboutProject(k kindOfMessage) bool {
	switch k.kind {
	case pb.MessageType_MESSAGE_TYPE_FORK, pb.MessageType_MESSAGE_TYPE_PROJECT_REMOVE:
		return true
	default:
		return k.phase == message.ProjectPhase
	}
}

// checkAuthorization applies a message and checks that it applies, or that authorization refuses it with code.
func checkAuthorization(t *testing.T, s *stage, name string, m *message.Envelope, applies bool, code message.Code) {
	t.Helper()
	_, refusal := s.Apply(m)
	switch {
	case applies && refusal != nil:
		t.Errorf("%s: %v", name, refusal)
	case !applies && (refusal == nil || refusal.Code != code || refusal.Stage != message.Authorization):
		t.Errorf("%s: refusal %v, want %s at %s", name, refusal, code, message.Authorization)
	}
	s.Check()
}

// TestPrivateProjectsRequireRead checks merge requests whose target or source is private.
//
// Rules: P3/authority, P9.8.
func TestPrivateProjectsRequireRead(t *testing.T) {
	t.Parallel()
	base := newStage(t)
	base.must(base.owner, message.ProjectMetadata(base.hub, pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY, message.VisibilityPrivate))
	for _, role := range []string{roleOwner, roleGranted, roleAdmin, roleWrite, roleRead, roleStranger} {
		s := base.branch(t)
		m := s.Sign(s.guests[role], message.MergeRequestAdd(s.hub, s.proposal("private")))
		checkAuthorization(t, s, role, m, role != roleStranger, message.CodeInsufficientPermission)
	}
}
