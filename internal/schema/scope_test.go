package schema_test

import (
	"bytes"
	"testing"

	"makechain/internal/ident"
	"makechain/internal/schema"
)

// TestScope checks the prefix that keys share with others of their account or project.
func TestScope(t *testing.T) {
	t.Parallel()
	link := schema.LinkKey(owner, 1, other[:])
	for _, l := range []layout{
		{"account", schema.AccountKey(owner), ""},
		{"username", schema.UsernameKey("a-long-username"), ""},
		{"project", schema.ProjectKey(project), ""},
		{"fork", schema.ForkParentKey(project), ""},
		{"validators", schema.ValidatorsKey(), ""},
		{"settlement", schema.SettlementKey(), ""},
		{"rules", schema.RulesKey(), ""},
		{"prefix alone", schema.CommitPrefix(project), ""},
		{"nothing", nil, ""},
		{"profile", schema.AccountMetadataKey(owner, 1), "05 A"},
		{"key", schema.CustodyKeyKey(owner, other), "06 A"},
		{"verification", schema.VerificationKey(owner, []byte("outside")), "09 A"},
		{"metadata", schema.ProjectMetadataKey(project, 1), "0b C"},
		{"project name", schema.ProjectNameKey(owner, "name"), "0c A"},
		{"ref", schema.RefKey(project, []byte("main")), "0d C"},
		{"commit", schema.CommitKey(project, commit), "0e C"},
		{"collaborator", schema.CollaboratorKey(project, owner), "0f C"},
		{"link", link, "10 A"},
		{"link by target", schema.LinkByTargetKey(1, other[:], owner), "11 01 B"},
		{"reaction", schema.ReactionKey(owner, 1, project, commit), "12 A"},
		{"reaction by target", schema.ReactionByTargetKey(1, project, commit, owner), "13 01 C"},
		{"counter", schema.CounterKey(owner, schema.CounterLinks), "14 A"},
		{"merge request", schema.MergeRequestKey(project, commit), "1b C"},
		{"closed merge request", schema.ClosedMergeRequestKey(project, commit), "1e C"},
		{"tombstone", schema.TombstoneKey(link), "03 10 A"},
		{"prune marker", schema.PruneMarkerKey(link), "15 10 A"},
	} {
		if got, want := schema.Scope(l.key), parseLayout(t, l.layout); !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", l.name, got, want)
		}
	}
}

// TestInnerScope checks the longer prefix of keys of reactions, within the scope.
func TestInnerScope(t *testing.T) {
	t.Parallel()
	reaction, byTarget := schema.ReactionKey(owner, 1, project, commit), schema.ReactionByTargetKey(1, project, commit, owner)
	for _, l := range []layout{
		{"nothing", nil, ""},
		{"account", schema.AccountKey(owner), ""},
		{"link", schema.LinkKey(owner, 1, other[:]), ""},
		{"commit", schema.CommitKey(project, commit), ""},
		{"reaction", reaction, "12 A 01 C"},
		{"part of a reaction", reaction[:1+ident.AddressSize+1+ident.HashSize], ""},
		{"reaction by target", byTarget, "13 01 C D"},
		{"tombstone", schema.TombstoneKey(reaction), "03 12 A 01 C"},
		{"prune marker", schema.PruneMarkerKey(byTarget), "15 13 01 C D"},
	} {
		got := schema.InnerScope(l.key)
		if want := parseLayout(t, l.layout); !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", l.name, got, want)
		}
		if !bytes.HasPrefix(got, schema.Scope(l.key)) && got != nil {
			t.Errorf("%s: %x is not within the scope %x", l.name, got, schema.Scope(l.key))
		}
	}
}
