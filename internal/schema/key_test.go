package schema_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"makechain/internal/ident"
	"makechain/internal/schema"
)

// The parts of the keys below, each of one repeated byte to be easy to recognize.
var (
	owner   = ident.Address(bytes.Repeat([]byte{0xA1}, ident.AddressSize))
	other   = ident.Address(bytes.Repeat([]byte{0xB2}, ident.AddressSize))
	project = ident.Hash(bytes.Repeat([]byte{0xC3}, ident.HashSize))
	commit  = ident.Hash(bytes.Repeat([]byte{0xD4}, ident.HashSize))
	public  = ident.PublicKey(bytes.Repeat([]byte{0xE5}, ident.PublicKeySize))
)

// layout is a key and its notation: A, B, C, D, E stand for the parts above, the others are hex or 'text'.
type layout struct {
	name   string
	key    []byte
	layout string
}

// layouts returns the table of P7, one entry for each kind of row and each form of its key.
func layouts() []layout {
	return []layout{
		{"tombstone of a collaborator", schema.TombstoneKey(schema.CollaboratorKey(project, owner)), "03 0f C A"},
		{"tombstone of a ref", schema.TombstoneKey(schema.RefKey(project, []byte("main"))), "03 0d C 'main'"},
		{"account", schema.AccountKey(owner), "04 A"},
		{"account metadata", schema.AccountMetadataKey(owner, 3), "05 A 03"},
		{"delegated key", schema.DelegatedKeyKey(owner, public), "06 A 00 E"},
		{"custody key", schema.CustodyKeyKey(owner, other), "06 A 01 B"},
		{"key owner", schema.KeyOwnerKey(public), "07 E"},
		{"username", schema.UsernameKey("alice"), "08 'alice'"},
		{"verification", schema.VerificationKey(owner, []byte("outside")), "09 A 'outside'"},
		{"project", schema.ProjectKey(project), "0a C"},
		{"project metadata", schema.ProjectMetadataKey(project, 4), "0b C 04"},
		{"project name", schema.ProjectNameKey(owner, "Hello"), "0c A 'Hello'"},
		{"ref", schema.RefKey(project, []byte("refs/x")), "0d C 'refs/x'"},
		{"commit", schema.CommitKey(project, commit), "0e C D"},
		{"collaborator", schema.CollaboratorKey(project, owner), "0f C A"},
		{"follow", schema.LinkKey(owner, 1, other[:]), "10 A 01 B"},
		{"star", schema.LinkKey(owner, 2, project[:]), "10 A 02 C"},
		{"follow by target", schema.LinkByTargetKey(1, other[:], owner), "11 01 B A"},
		{"star by target", schema.LinkByTargetKey(2, project[:], owner), "11 02 C A"},
		{"reaction", schema.ReactionKey(owner, 1, project, commit), "12 A 01 C D"},
		{"reaction by target", schema.ReactionByTargetKey(1, project, commit, owner), "13 01 C D A"},
		{"links", schema.CounterKey(owner, schema.CounterLinks), "14 A 01"},
		{"reactions", schema.CounterKey(owner, schema.CounterReactions), "14 A 02"},
		{"verifications", schema.CounterKey(owner, schema.CounterVerifications), "14 A 03"},
		{"removed links", schema.CounterKey(owner, schema.CounterLinks.Tombstones()), "14 A 11"},
		{"removed reactions", schema.CounterKey(owner, schema.CounterReactions.Tombstones()), "14 A 12"},
		{"removed verifications", schema.CounterKey(owner, schema.CounterVerifications.Tombstones()), "14 A 13"},
		{"prune marker", schema.PruneMarkerKey(schema.LinkKey(owner, 1, other[:])), "15 10 A 01 B"},
		{"storage grant", schema.StorageGrantKey(owner, 0x01020304, commit), "16 A 01020304 D"},
		{"claim", schema.ClaimKey(commit), "17 D"},
		{"fork parent", schema.ForkParentKey(project), "1a C"},
		{"merge request", schema.MergeRequestKey(project, commit), "1b C D"},
		{"merge request by requester", schema.MergeRequestByRequesterKey(owner, project, commit), "1c A C D"},
		{"validators", schema.ValidatorsKey(), "1d"},
		{"settlement", schema.SettlementKey(), "20"},
		{"rules", schema.RulesKey(), "21"},
		{"closed merge request", schema.ClosedMergeRequestKey(project, commit), "1e C D"},
		{"content", schema.ContentKey(project, commit), "1f C D"},
	}
}

// parseLayout converts the notation of a layout to bytes.
func parseLayout(t testing.TB, notation string) []byte {
	t.Helper()
	parts := map[string][]byte{"A": owner[:], "B": other[:], "C": project[:], "D": commit[:], "E": public[:]}
	var parsed []byte
	for token := range strings.FieldsSeq(notation) {
		if part, ok := parts[token]; ok {
			parsed = append(parsed, part...)
			continue
		}
		if text, ok := strings.CutPrefix(token, "'"); ok {
			parsed = append(parsed, strings.TrimSuffix(text, "'")...)
			continue
		}
		b, err := hex.DecodeString(token)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, b...)
	}
	return parsed
}

// TestKeyLayout checks the bytes of every key of the table, and that each parses and encodes again.
//
// Rules: P7.
func TestKeyLayout(t *testing.T) {
	t.Parallel()
	seen := map[schema.Prefix]bool{}
	for _, l := range layouts() {
		if want := parseLayout(t, l.layout); !bytes.Equal(l.key, want) {
			t.Errorf("%s: %x, want %x", l.name, l.key, want)
		}
		parsed, err := schema.ParseKey(l.key)
		if err != nil {
			t.Errorf("%s: %v", l.name, err)
			continue
		}
		if again := parsed.Bytes(); !bytes.Equal(again, l.key) {
			t.Errorf("%s: encodes to %x, want %x", l.name, again, l.key)
		}
		seen[parsed.Prefix] = true
	}
	for p := range 256 {
		if prefix := schema.Prefix(p); prefix.Merkleized() != seen[prefix] {
			t.Errorf("prefix %#x is in the state root: %t, in the table: %t", p, prefix.Merkleized(), seen[prefix])
		}
	}
}

// TestMerkleizedPrefixes checks the limits of the prefix ranges that are in the state root.
//
// Rules: P7.
func TestMerkleizedPrefixes(t *testing.T) {
	t.Parallel()
	for p, want := range map[byte]bool{
		0x00: false, 0x02: false, 0x03: true, 0x17: true, 0x18: false, 0x19: false, 0x1A: true, 0x1F: true, 0x20: true, 0x21: true, byte(schema.LastPrefix) + 1: false, 0xFF: false,
	} {
		if got := schema.Prefix(p).Merkleized(); got != want {
			t.Errorf("prefix %#x is in the state root: %t", p, got)
		}
	}
}

// TestKeyOrder checks the order of keys that scans depend on: grants by their expiry, and the rows of one account
// or project together.
//
// Rules: P7.
func TestKeyOrder(t *testing.T) {
	t.Parallel()
	ordered := [][]byte{
		schema.StorageGrantKey(owner, 255, commit),
		schema.StorageGrantKey(owner, 256, ident.Hash{}),
		schema.StorageGrantKey(owner, 1<<31, ident.Hash{}),
		schema.StorageGrantKey(other, 0, ident.Hash{}),
	}
	for i := 1; i < len(ordered); i++ {
		if bytes.Compare(ordered[i-1], ordered[i]) >= 0 {
			t.Errorf("%x is not before %x", ordered[i-1], ordered[i])
		}
	}
	if !bytes.HasPrefix(ordered[0], schema.StorageGrantPrefix(owner)) || bytes.HasPrefix(ordered[3], schema.StorageGrantPrefix(owner)) {
		t.Error("the prefix of an account's grants covers other keys")
	}
}

// TestAfter checks the upper bound of key ranges.
func TestAfter(t *testing.T) {
	t.Parallel()
	for prefix, want := range map[string]string{
		"\x01": "\x02", "a\x00": "a\x01", "a\xFF": "b", "a\xFF\xFF": "b", "\xFF": "", "": "", "ab": "ac",
	} {
		got := schema.After([]byte(prefix))
		if string(got) != want || (got == nil) != (want == "") {
			t.Errorf("after %q comes %q, want %q", prefix, got, want)
		}
	}
	prefix := []byte{1, 2}
	schema.After(prefix)
	if prefix[1] != 2 {
		t.Error("the prefix was changed")
	}
}

// TestPrefixesOfKeys checks the prefix of each family of rows with a key inside and one outside.
func TestPrefixesOfKeys(t *testing.T) {
	t.Parallel()
	elsewhere := ident.Hash{1}
	for _, c := range []struct{ prefix, inside, outside []byte }{
		{schema.RefKey(project, nil), schema.RefKey(project, []byte("x")), schema.RefKey(elsewhere, []byte("x"))},
		{schema.CommitPrefix(project), schema.CommitKey(project, commit), schema.CommitKey(elsewhere, commit)},
		{schema.CollaboratorPrefix(project), schema.CollaboratorKey(project, owner), schema.CollaboratorKey(elsewhere, owner)},
		{schema.MergeRequestPrefix(project), schema.MergeRequestKey(project, commit), schema.MergeRequestKey(elsewhere, commit)},
		{schema.ClosedMergeRequestPrefix(project), schema.ClosedMergeRequestKey(project, commit), schema.ClosedMergeRequestKey(elsewhere, commit)},
		{
			schema.MergeRequestByRequesterPrefix(owner), schema.MergeRequestByRequesterKey(owner, project, commit),
			schema.MergeRequestByRequesterKey(other, project, commit),
		},
		{schema.StorageGrantPrefix(owner), schema.StorageGrantKey(owner, 1, commit), schema.StorageGrantKey(other, 1, commit)},
		{schema.KeyPrefix(owner, schema.FamilyDelegated), schema.DelegatedKeyKey(owner, public), schema.CustodyKeyKey(owner, other)},
		{schema.LinkPrefix(owner), schema.LinkKey(owner, 2, project[:]), schema.LinkKey(other, 2, project[:])},
		{schema.LinkByTargetPrefix(1, other[:]), schema.LinkByTargetKey(1, other[:], owner), schema.LinkByTargetKey(1, owner[:], owner)},
		{schema.ReactionPrefix(owner, 1), schema.ReactionKey(owner, 1, project, commit), schema.ReactionKey(other, 1, project, commit)},
		{
			schema.ReactionByTargetPrefix(1, project, commit), schema.ReactionByTargetKey(1, project, commit, owner),
			schema.ReactionByTargetKey(1, project, elsewhere, owner),
		},
	} {
		if !bytes.HasPrefix(c.inside, c.prefix) || bytes.HasPrefix(c.outside, c.prefix) {
			t.Errorf("%x is a prefix of %x: %t, of %x: %t", c.prefix, c.inside, bytes.HasPrefix(c.inside, c.prefix), c.outside, bytes.HasPrefix(c.outside, c.prefix))
		}
	}
}
