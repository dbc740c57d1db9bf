package vectors

import (
	"encoding/binary"
	"encoding/hex"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/proof"
)

// provenSet is a set of rows with valid and invalid proofs about it.
type provenSet struct {
	treeVector
	Proofs    []proofVector    `json:"proofs"`
	Compounds []compoundVector `json:"compounds,omitempty"`
	Ranges    []rangeVector    `json:"ranges,omitempty"`
	Quotas    []quotaVector    `json:"quotas,omitempty"`
	Compact   []compactVector  `json:"compact_ranges,omitempty"`
}

// proofVector proves that a row with a value exists, or that no row exists.
type proofVector struct {
	Name    string   `json:"name"`
	Key     hexBytes `json:"key"`
	Present bool     `json:"present"`
	Value   hexBytes `json:"value,omitempty"`
	Proof   hexBytes `json:"proof"`
	Valid   bool     `json:"valid"`
}

type compoundVector struct {
	Name   string   `json:"name"`
	Key    hexBytes `json:"key"`
	Answer fields   `json:"answer"`
	Valid  bool     `json:"valid"`
}

type rangeVector struct {
	Name   string   `json:"name"`
	Prefix hexBytes `json:"prefix"`
	Cursor hexBytes `json:"cursor"`
	Answer fields   `json:"answer"`
	Valid  bool     `json:"valid"`
}

type quotaVector struct {
	Name   string   `json:"name"`
	Owner  hexBytes `json:"owner"`
	AsOf   uint32   `json:"as_of"`
	Answer fields   `json:"answer"`
	Valid  bool     `json:"valid"`
}

// TestProofs generates proofs.json and compares every result with that of the verifiers.
//
// Rules: T1.4, T3.1, T3.2, T3.3, T3.4, T3.5, T3.6, T3.9.
func TestProofs(t *testing.T) {
	t.Parallel()
	sets := []provenSet{emptySet(t), deepSet(t), stateSet(t)}
	for i := range sets {
		checkProvenSet(t, &sets[i])
	}
	golden(t, "proofs.json", sets)
}

func checkProvenSet(t *testing.T, set *provenSet) {
	t.Helper()
	root := [32]byte(set.Root)
	expect := func(name string, err error, want bool) {
		if (err == nil) != want {
			t.Errorf("%s: %s: valid is %v, want %v: %v", set.Name, name, err == nil, want, err)
		}
	}
	for _, v := range set.Proofs {
		if v.Present {
			expect(v.Name, proof.VerifyOperation(root, v.Key, v.Value, v.Proof), v.Valid)
		} else {
			expect(v.Name, proof.VerifyExclusion(root, v.Key, v.Proof), v.Valid)
		}
	}
	for _, v := range set.Compounds {
		_, err := proof.VerifyCompound(root, v.Key, v.Answer.Message.(*pb.GetCompoundProofResponse))
		expect(v.Name, err, v.Valid)
	}
	for _, v := range set.Ranges {
		expect(v.Name, proof.VerifyRange(root, v.Prefix, v.Cursor, v.Answer.Message.(*pb.GetRangeProofResponse)), v.Valid)
	}
	for _, v := range set.Compact {
		expect(v.Name, v.verify(root), v.Valid)
	}
	for _, v := range set.Quotas {
		_, err := proof.VerifyStorageQuota(root, ident.Address(v.Owner), v.AsOf, v.Answer.Message.(*pb.GetStorageQuotaProofResponse))
		expect(v.Name, err, v.Valid)
	}
}

func mustHex(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

// present proves that the row at a key exists.
func (s *state) present(t *testing.T, name string, key []byte) proofVector {
	t.Helper()
	answer := must[*pb.GetOperationProofResponse](t)(proof.Exists(s, key))
	return proofVector{Name: name, Key: key, Present: true, Value: answer.GetValue(), Proof: answer.GetProof(), Valid: true}
}

// absent proves that there is no row at a key.
func (s *state) absent(t *testing.T, name string, key []byte) proofVector {
	t.Helper()
	answer := must[*pb.GetExclusionProofResponse](t)(proof.Absent(s, key))
	return proofVector{Name: name, Key: key, Proof: answer.GetProof(), Valid: true}
}

// emptySet returns proofs of the empty tree, in which a key has no neighbours.
func emptySet(t *testing.T) provenSet {
	t.Helper()
	s := newState(t, nil)
	other := newState(t, someRows("0a01")).absent(t, "neighbours of another tree", []byte{0x0a, 2})
	other.Valid = false
	return provenSet{
		treeVector: treeOf(t, "no rows", []rowVector{}),
		Proofs:     []proofVector{s.absent(t, "anything is absent", []byte{0x0a, 2}), other},
		Ranges:     []rangeVector{s.page(t, "nothing, and complete", []byte{0x0d}, 10, nil)},
		Compact:    []compactVector{s.compact(t, "nothing, and complete", []byte{0x0d}, nil, 10)},
		Quotas:     []quotaVector{s.quota(t, "nobody has any storage", someAddress("alice"), now)},
	}
}

// deepSet returns proofs of more than 128 steps, the limit of ICS-23 if the spec does not set another.
func deepSet(t *testing.T) provenSet {
	t.Helper()
	rows := chainOfRefs(254)
	s := newState(t, rows)
	return provenSet{
		treeVector: treeOf(t, "refs that each begin the next", rows),
		Proofs: []proofVector{
			s.present(t, "shortest name", rows[0].Key),
			s.present(t, "middle name", rows[127].Key),
			s.present(t, "longest name", rows[253].Key),
			s.absent(t, "another name", schema.RefKey(someHash("a project"), []byte("rrq"))),
		},
		Compact: []compactVector{
			s.compact(t, "all names", []byte{0x0d}, nil, 300), s.compact(t, "middle names", []byte{0x0d}, rows[100].Key, 50),
		},
	}
}

// encodeRow returns the value of a row.
func encodeRow(t *testing.T, row proto.Message) []byte {
	t.Helper()
	return must[[]byte](t)(schema.Encode(row))
}

// grantRow returns the row of a storage grant with an expiry.
func grantRow(t *testing.T, owner ident.Address, expiresAt, units uint32) rowVector {
	t.Helper()
	claim := someHash("grant " + string(binary.BigEndian.AppendUint32(nil, expiresAt)))
	return rowVector{schema.StorageGrantKey(owner, expiresAt, claim), encodeRow(t, &pb.StorageGrantRow{Units: units, Actor: owner[:]})}
}

// stateRows returns a small state: accounts with and without storage and usernames, a set with members that are active,
// removed, pruned and added again, and enough refs for several pages.
func stateRows(t *testing.T) []rowVector {
	t.Helper()
	alice, bob, carol := someAddress("alice"), someAddress("bob"), someAddress("carol")
	project := someHash("a project")
	row := func(key []byte, value proto.Message) rowVector { return rowVector{key, encodeRow(t, value)} }
	member := func(name string) []byte { return schema.CollaboratorKey(project, someAddress(name)) }
	rows := []rowVector{
		row(schema.AccountKey(alice), &pb.AccountRow{Username: "alice", StorageUnits: 12, NextExpiry: now - 5, KeyCount: 1}),
		row(schema.AccountKey(bob), &pb.AccountRow{CustodyNonce: 3}),
		row(schema.AccountKey(carol), &pb.AccountRow{Username: "carol"}),
		row(schema.UsernameKey("alice"), &pb.UsernameRow{OwnerAddress: alice[:]}),
		row(schema.UsernameKey("carol"), &pb.UsernameRow{OwnerAddress: bob[:]}),
		row(member("lives"), &pb.CollaboratorRow{Timestamp: 100, Permission: pb.Permission_PERMISSION_ADMIN}),
		row(schema.TombstoneKey(member("buried")), &pb.TombstoneRow{Timestamp: 200}),
		row(schema.PruneMarkerKey(member("pruned")), &pb.PruneMarkerRow{Timestamp: 150}),
		row(member("added again"), &pb.CollaboratorRow{Timestamp: 300}),
		row(schema.PruneMarkerKey(member("added again")), &pb.PruneMarkerRow{Timestamp: 250}),
		grantRow(t, alice, now-5, 2), grantRow(t, alice, now, 3), grantRow(t, alice, now+1, 4), grantRow(t, alice, 1<<32-1, 3),
		grantRow(t, bob, now+1000, 1<<32-1), grantRow(t, bob, now+2000, 1),
		row(schema.ClaimKey(someHash("a claim")), &pb.ClaimRow{OwnerAddress: alice[:]}),
	}
	for i := range 12 {
		name := []byte("refs/heads/" + string(rune('a'+i)))
		rows = append(rows, row(schema.RefKey(project, name), &pb.RefRow{Timestamp: now, Hash: somePart("a commit", 32), Nonce: uint64(i + 1)}))
	}
	return append(rows, row(schema.RefKey(someHash("another project"), []byte("main")), &pb.RefRow{Timestamp: now, Nonce: 1}))
}
