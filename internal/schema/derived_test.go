package schema_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// TestDerivedLayout checks the bytes of the keys of derived rows.
//
// Rules: P7.
func TestDerivedLayout(t *testing.T) {
	t.Parallel()
	for _, l := range []layout{
		{"verification", schema.AgeKey(schema.VerificationKey(owner, []byte("outside")), 0x01020304), "18 09 A 01020304 'outside'"},
		{"link", schema.AgeKey(schema.LinkKey(owner, 1, other[:]), 5), "18 10 A 00000005 01 B"},
		{"reaction", schema.AgeKey(schema.ReactionKey(owner, 1, project, commit), 5), "18 12 A 00000005 01 C D"},
		{"collaborator", schema.AgeKey(schema.CollaboratorKey(project, owner), 5), "18 0f C 00000005 A"},
		{"tombstone", schema.AgeKey(schema.TombstoneKey(schema.LinkKey(owner, 1, other[:])), 5), "18 03 10 A 00000005 01 B"},
		{"prune marker", schema.AgeKey(schema.PruneMarkerKey(schema.CollaboratorKey(project, owner)), 5), "18 15 0f C 00000005 A"},
		{"tombstone of a ref", schema.AgeKey(schema.TombstoneKey(schema.RefKey(project, []byte("main"))), 5), "18 03 0d C 00000005 'main'"},
		{"tombstone of a merge request", schema.RequestAgeKey(owner, 5, project, commit), "18 03 1b A 00000005 C D"},
		{"ages of tombstones of refs", schema.AgePrefix(schema.TombstoneKey(schema.RefKey(project, nil))), "18 03 0d C"},
		{"ages of tombstones of merge requests", schema.RequestAgePrefix(owner), "18 03 1b A"},
		{"commit", schema.CommitAgeKey(project, 0x0102030405060708, commit), "18 0e C 0102030405060708 D"},
		{"closed merge request", schema.ClosedAgeKey(project, 0x0102030405060708, commit), "18 1e C 0102030405060708 D"},
		{"ages of closed merge requests", schema.ClosedAgePrefix(project), "18 1e C"},
		{"closed by requester", schema.ClosedByRequesterKey(owner, 0x0102030405060708, project, commit), "18 1c A fefdfcfbfaf9f8f7 C D"},
		{"list of closed merge requests", schema.ClosedByRequesterPrefix(owner), "18 1c A"},
		{"ages of links", schema.AgePrefix(schema.LinkKey(owner, 1, other[:])), "18 10 A"},
		{"ages of collaborators", schema.AgePrefix(schema.CollaboratorKey(project, owner)), "18 0f C"},
		{"ages of commits", schema.CommitAgePrefix(project), "18 0e C"},
		{"pair", schema.MergeRequestPairKey(owner, project), "19 A C"},
	} {
		if want := parseLayout(t, l.layout); !bytes.Equal(l.key, want) {
			t.Errorf("%s: %x, want %x", l.name, l.key, want)
		}
		if schema.Prefix(l.key[0]).Merkleized() {
			t.Errorf("%s is in the state root", l.name)
		}
	}
}

// TestAgesSortByTimeThenKey checks that age rows sort the members of a set in the order of pruning.
//
// Rules: P8.6.
func TestAgesSortByTimeThenKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		member := rapid.Custom(func(t *rapid.T) ident.Address {
			return ident.Address(rapid.SliceOfN(rapid.Byte(), ident.AddressSize, ident.AddressSize).Draw(t, "address"))
		})
		a, b := member.Draw(t, "a"), member.Draw(t, "b")
		at, bt := rapid.Uint32().Draw(t, "time of a"), rapid.Uint32().Draw(t, "time of b")
		keyA, keyB := schema.CollaboratorKey(project, a), schema.CollaboratorKey(project, b)
		want := bytes.Compare(keyA, keyB)
		if at != bt {
			want = map[bool]int{true: -1, false: 1}[at < bt]
		}
		if got := bytes.Compare(schema.AgeKey(keyA, at), schema.AgeKey(keyB, bt)); got != want {
			t.Fatalf("order %d, want %d", got, want)
		}
		active, timestamp, err := schema.ParseAgeKey(schema.AgeKey(keyA, at))
		if err != nil || timestamp != at || !bytes.Equal(active, keyA) {
			t.Fatalf("%x at %d, error %v", active, timestamp, err)
		}
	})
}

// TestParseAgeKeys parses the age rows of every kind of row, and refuses other keys.
func TestParseAgeKeys(t *testing.T) {
	t.Parallel()
	tombstone, marker := schema.TombstoneKey, schema.PruneMarkerKey
	for _, active := range [][]byte{
		schema.VerificationKey(owner, []byte("outside")), schema.LinkKey(owner, 2, project[:]),
		schema.ReactionKey(owner, 1, project, commit), schema.CollaboratorKey(project, owner),
		tombstone(schema.LinkKey(owner, 2, project[:])), marker(schema.ReactionKey(owner, 1, project, commit)),
		tombstone(schema.CollaboratorKey(project, owner)), tombstone(schema.RefKey(project, []byte("main"))),
	} {
		age := schema.AgeKey(active, 7)
		got, at, err := schema.ParseAgeKey(age)
		if err != nil || at != 7 || !bytes.Equal(got, active) {
			t.Errorf("%x at %d, error %v, want %x", got, at, err, active)
		}
		if !bytes.HasPrefix(age, schema.AgePrefix(active)) {
			t.Errorf("%x is not under %x", age, schema.AgePrefix(active))
		}
		age[len(age)-1]++
		if !bytes.Equal(got, active) {
			t.Error("the active key shares memory with the age key")
		}
	}
	closed := tombstone(schema.MergeRequestKey(project, commit))
	if got, at, err := schema.ParseAgeKey(schema.RequestAgeKey(owner, 7, project, commit)); err != nil || at != 7 || !bytes.Equal(got, closed) {
		t.Errorf("%x at %d, error %v, want %x", got, at, err, closed)
	}
	for _, bad := range [][]byte{
		nil,
		{0x18},
		{0x18, 0x03},
		schema.RequestAgePrefix(owner),
		{0x18, 0x0F},
		{0x17, 0x0F},
		{0x18, 0x0E},
		schema.AccountKey(owner),
		schema.CommitAgeKey(project, 1, commit), schema.AgePrefix(schema.CollaboratorKey(project, owner)),
	} {
		if active, at, err := schema.ParseAgeKey(bad); err == nil {
			t.Errorf("%x parses as %x at %d", bad, active, at)
		}
	}
}

// TestParseClosedKeys parses the derived rows of a closed merge request, and refuses other keys.
func TestParseClosedKeys(t *testing.T) {
	t.Parallel()
	age, byRequester, err := schema.ClosedKeys(project, commit, &pb.ClosedMergeRequestRow{BlockNumber: 9, RequesterOwnerAddress: owner[:]})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		good  []byte
		parse func([]byte) ([]byte, error)
	}{{age, schema.ParseClosedAgeKey}, {byRequester, schema.ParseClosedByRequesterKey}} {
		if got, err := c.parse(c.good); err != nil || !bytes.Equal(got, schema.ClosedMergeRequestKey(project, commit)) {
			t.Errorf("%x parses as %x, error %v", c.good, got, err)
		}
		for _, bad := range [][]byte{nil, c.good[:len(c.good)-1], append(bytes.Clone(c.good), 0), schema.CommitAgeKey(project, 9, commit)} {
			if got, err := c.parse(bad); err == nil {
				t.Errorf("%x parses as %x", bad, got)
			}
		}
	}
	if _, _, err := schema.ClosedKeys(project, commit, &pb.ClosedMergeRequestRow{BlockNumber: 9}); err == nil {
		t.Error("a row without a requester has derived rows")
	}
}

// TestParseCommitAgeKey parses the commit of an age row, and refuses other keys.
func TestParseCommitAgeKey(t *testing.T) {
	t.Parallel()
	good := schema.CommitAgeKey(project, 9, commit)
	if got, err := schema.ParseCommitAgeKey(good); err != nil || got != commit {
		t.Errorf("%s, error %v", got, err)
	}
	for _, bad := range [][]byte{nil, good[:len(good)-1], append(bytes.Clone(good), 0), schema.CommitKey(project, commit)} {
		if got, err := schema.ParseCommitAgeKey(bad); err == nil {
			t.Errorf("%x parses as %s", bad, got)
		}
	}
	wrongSet := bytes.Clone(good)
	wrongSet[1] = byte(schema.PrefixCollaborator)
	if got, err := schema.ParseCommitAgeKey(wrongSet); err == nil {
		t.Errorf("a row of another set parses as %s", got)
	}
}
