package schema_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"makechain/internal/schema"
)

// TestParseKeyFields checks that each key parses into its fields and no others.
//
// Rules: P7.
func TestParseKeyFields(t *testing.T) {
	t.Parallel()
	collaborator := schema.Key{Prefix: schema.PrefixCollaborator, Project: project, Owner: owner}
	follow := schema.Key{Prefix: schema.PrefixLink, Owner: owner, Tag: 1, Target: other}
	for _, want := range []schema.Key{
		{Prefix: schema.PrefixTombstone, Removed: &collaborator},
		{Prefix: schema.PrefixPruneMarker, Removed: &follow},
		{Prefix: schema.PrefixAccount, Owner: owner},
		{Prefix: schema.PrefixAccountMetadata, Owner: owner, Tag: 2},
		{Prefix: schema.PrefixKey, Owner: owner, Tag: schema.FamilyDelegated, PublicKey: public},
		{Prefix: schema.PrefixKey, Owner: owner, Tag: schema.FamilyCustody, KeyID: other},
		{Prefix: schema.PrefixKeyOwner, PublicKey: public},
		{Prefix: schema.PrefixUsername, Name: []byte("alice")},
		{Prefix: schema.PrefixVerification, Owner: owner, Name: []byte("outside")},
		{Prefix: schema.PrefixProject, Project: project},
		{Prefix: schema.PrefixProjectMetadata, Project: project, Tag: 1},
		{Prefix: schema.PrefixProjectName, Owner: owner, Name: []byte("Hello")},
		{Prefix: schema.PrefixRef, Project: project, Name: []byte("main")},
		{Prefix: schema.PrefixCommit, Project: project, ID: commit},
		collaborator,
		follow,
		{Prefix: schema.PrefixLink, Owner: owner, Tag: 2, Project: project},
		{Prefix: schema.PrefixLinkByTarget, Owner: owner, Tag: 1, Target: other},
		{Prefix: schema.PrefixReaction, Owner: owner, Tag: 1, Project: project, ID: commit},
		{Prefix: schema.PrefixReactionByTarget, Owner: owner, Tag: 1, Project: project, ID: commit},
		{Prefix: schema.PrefixCounter, Owner: owner, Tag: 0x11},
		{Prefix: schema.PrefixStorageGrant, Owner: owner, ExpiresAt: 7, ID: commit},
		{Prefix: schema.PrefixClaim, ID: commit},
		{Prefix: schema.PrefixForkParent, Project: project},
		{Prefix: schema.PrefixMergeRequest, Project: project, ID: commit},
		{Prefix: schema.PrefixClosedMergeRequest, Project: project, ID: commit},
		{Prefix: schema.PrefixMergeRequestByRequester, Owner: owner, Project: project, ID: commit},
	} {
		got, err := schema.ParseKey(want.Bytes())
		if err != nil {
			t.Errorf("prefix %#x: %v", want.Prefix, err)
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("prefix %#x: %+v, want %+v", want.Prefix, got, want)
		}
	}
}

// TestLinkTarget checks that the target is the field that belongs to the type of a link.
func TestLinkTarget(t *testing.T) {
	t.Parallel()
	for tag, want := range map[byte][]byte{1: other[:], 2: project[:]} {
		parsed, err := schema.ParseKey(schema.LinkKey(owner, tag, want))
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.LinkTarget(); !bytes.Equal(got, want) {
			t.Errorf("type %d has the target %x", tag, got)
		}
	}
}

// TestParseKeyErrors checks keys that no row can have.
//
// Rules: P7.
func TestParseKeyErrors(t *testing.T) {
	t.Parallel()
	tombstone, marker := schema.TombstoneKey, schema.PruneMarkerKey
	link := schema.LinkKey(owner, 1, other[:])
	for name, c := range map[string]struct {
		key  []byte
		want string
	}{
		"nothing":                       {nil, "not under a prefix"},
		"unknown prefix":                {[]byte{0x02}, "not under a prefix"},
		"derived row":                   {schema.AgeKey(link, 1), "not under a prefix"},
		"pair count":                    {schema.MergeRequestPairKey(owner, project), "not under a prefix"},
		"past the last prefix":          {[]byte{byte(schema.LastPrefix) + 1}, "not under a prefix"},
		"prefix alone":                  {[]byte{0x04}, "owner address is too short"},
		"short account":                 {schema.AccountKey(owner)[:20], "owner address is too short: 19 bytes, want 20"},
		"long account":                  {append(schema.AccountKey(owner), 0), "1 bytes too many"},
		"no field":                      {schema.AccountMetadataKey(owner, 1)[:21], "kind is too short"},
		"family 2":                      {append([]byte{0x06}, append(owner[:], 2)...), "unknown key family 2"},
		"custody id as Ed25519 key":     {append([]byte{0x06}, append(append(owner[:], 0), other[:]...)...), "public key is too short"},
		"Ed25519 key as custody id":     {append([]byte{0x06}, append(append(owner[:], 1), public[:]...)...), "12 bytes too many"},
		"empty username":                {schema.UsernameKey(""), "username has 0 bytes"},
		"longest username":              {schema.UsernameKey(strings.Repeat("u", 32)), ""},
		"username too long":             {schema.UsernameKey(strings.Repeat("u", 33)), "username has 33 bytes, want 1 to 32"},
		"empty project name":            {schema.ProjectNameKey(owner, ""), "project name has 0 bytes"},
		"longest project name":          {schema.ProjectNameKey(owner, strings.Repeat("p", 100)), ""},
		"project name too long":         {schema.ProjectNameKey(owner, strings.Repeat("p", 101)), "want 1 to 100"},
		"empty ref":                     {schema.RefKey(project, nil), "ref name has 0 bytes"},
		"longest ref":                   {schema.RefKey(project, make([]byte, 254)), ""},
		"ref too long":                  {schema.RefKey(project, make([]byte, 255)), "want 1 to 254"},
		"empty external address":        {schema.VerificationKey(owner, nil), "external address has 0 bytes"},
		"longest external address":      {schema.VerificationKey(owner, make([]byte, 128)), ""},
		"external address too long":     {schema.VerificationKey(owner, make([]byte, 129)), "want 1 to 128"},
		"link of type 0":                {schema.LinkKey(owner, 0, other[:]), "unknown link type 0"},
		"link of unknown type":          {schema.LinkByTargetKey(3, other[:], owner), "unknown link type 3"},
		"follow of a project":           {schema.LinkKey(owner, 1, project[:]), "12 bytes too many"},
		"star of an account":            {schema.LinkKey(owner, 2, other[:]), "target project is too short"},
		"short grant":                   {schema.StorageGrantKey(owner, 1, commit)[:23], "expires_at is too short"},
		"short request":                 {schema.MergeRequestKey(project, commit)[:64], "request id is too short"},
		"tombstone of nothing":          {tombstone(nil), "refers to no row"},
		"tombstone of an account":       {tombstone(schema.AccountKey(owner)), "refers to no row"},
		"tombstone of a commit":         {tombstone(schema.CommitKey(project, commit)), "refers to no row"},
		"tombstone of a reverse link":   {tombstone(schema.LinkByTargetKey(1, other[:], owner)), "refers to no row"},
		"tombstone of a tombstone":      {tombstone(tombstone(link)), "refers to no row"},
		"truncated tombstone":           {tombstone(link[:5]), "removed key"},
		"marker of a ref":               {marker(schema.RefKey(project, []byte("main"))), "refers to no row"},
		"marker of a marker":            {marker(marker(link)), "refers to no row"},
		"marker of a merge request":     {marker(schema.MergeRequestKey(project, commit)), "refers to no row"},
		"tombstone of a merge request":  {tombstone(schema.MergeRequestKey(project, commit)), ""},
		"tombstone of a reaction":       {tombstone(schema.ReactionKey(owner, 1, project, commit)), ""},
		"tombstone of a verification":   {tombstone(schema.VerificationKey(owner, []byte{1})), ""},
		"tombstone with trailing bytes": {append(tombstone(link), 0), "1 bytes too many"},
	} {
		_, err := schema.ParseKey(c.key)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// FuzzParseKey checks that an accepted key encodes to the same bytes and that no input panics.
//
// Rules: P7, I10.
func FuzzParseKey(f *testing.F) {
	for _, l := range layouts() {
		f.Add(l.key)
		f.Add(l.key[:len(l.key)-1])
	}
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0x03}, 40))
	f.Fuzz(func(t *testing.T, key []byte) {
		kept := bytes.Clone(key)
		parsed, err := schema.ParseKey(key)
		if !bytes.Equal(key, kept) {
			t.Fatal("the key was changed")
		}
		if err != nil {
			return
		}
		if again := parsed.Bytes(); !bytes.Equal(again, key) {
			t.Fatalf("encodes to %x, want %x", again, key)
		}
		if !parsed.Prefix.Merkleized() {
			t.Fatalf("prefix %#x is not in the state root", parsed.Prefix)
		}
	})
}
