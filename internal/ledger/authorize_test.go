package ledger_test

import (
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// author is somebody for whom the message of a row applies. Usernames are created by an account that has none.
func (k *kindOfMessage) author(s *stage) *ledgertest.Actor {
	if slices.Contains(k.roles, "unnamed") {
		a := s.Join("unnamed", 0)
		s.Fund(a, 1)
		return a
	}
	return s.owner
}

// TestEveryTypeIsInTheTable makes sure that nothing below forgets a type.
//
// Rules: P3/phases.
func TestEveryTypeIsInTheTable(t *testing.T) {
	t.Parallel()
	seen := map[pb.MessageType]bool{}
	base := newStage(t)
	for _, k := range kindsOfMessages() {
		seen[k.kind] = true
		s := base.branch(t)
		a := k.author(s)
		m := k.make(s, a, a.Author)
		if m.Type() != k.kind {
			t.Errorf("%s: is a %s", k.name, m.Type())
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

// TestScopes signs every type with a key of each scope, with one that is not registered and with another's.
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
			checkVerdict(t, s, k.name, k.make(s, a, key), int(scope) <= k.scope, message.CodeInsufficientScope)
		}
		s := base.branch(t)
		a := k.author(s)
		stolen := message.NewAuthor(ledgertest.Secret("delegated", "stan", ledgertest.MainKey), ledgertest.Network, a.Address)
		for _, key := range []*message.Author{a.With("unregistered"), stolen} {
			b := s.branch(t)
			checkVerdict(t, b, k.name, k.make(b, a, key), k.scope == anyKey, message.CodeUnknownSigner)
		}
	}
}

// TestPermissions sends every type that is about a project from an account of each role.
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
			checkVerdict(t, s, k.name+" by "+role, k.make(s, a, a.Author), allowed, message.CodeInsufficientPermission)
		}
	}
}

// isAboutProject tells rows whose roles are permissions in a project from those whose roles only say who has
// something to remove.
func isAboutProject(k kindOfMessage) bool {
	switch k.kind {
	case pb.MessageType_MESSAGE_TYPE_FORK, pb.MessageType_MESSAGE_TYPE_PROJECT_REMOVE:
		return true
	default:
		return k.phase == message.ProjectPhase
	}
}

// checkVerdict applies a message that has to apply, or has to be refused by authority with a code.
func checkVerdict(t *testing.T, s *stage, name string, m *message.Envelope, applies bool, code message.Code) {
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

// TestPrivateProjectsNeedRead opens merge requests where the target or the source is private.
//
// Rules: P3/authority, P9.8.
func TestPrivateProjectsNeedRead(t *testing.T) {
	t.Parallel()
	base := newStage(t)
	base.must(base.owner, message.ProjectMetadata(base.hub, pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY, message.VisibilityPrivate))
	for _, role := range []string{roleOwner, roleGranted, roleAdmin, roleWrite, roleRead, roleStranger} {
		s := base.branch(t)
		m := s.Sign(s.guests[role], message.MergeRequestAdd(s.hub, s.proposal("private")))
		checkVerdict(t, s, role, m, role != roleStranger, message.CodeInsufficientPermission)
	}
}
