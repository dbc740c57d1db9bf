package proof_test

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/proof"
)

func encodeRow(t testing.TB, row proto.Message) []byte {
	t.Helper()
	value, err := schema.Encode(row)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func memberKey() []byte { return schema.CollaboratorKey(ident.Hash{2}, ident.Address{3}) }

// memberTree returns a tree with a collaborator's row, tombstone and prune marker with these timestamps, each omitted
// if 0, and rows around them.
func memberTree(t testing.TB, key []byte, added, tombstone, pruned uint32) *model {
	t.Helper()
	rows := []modelRow{
		{schema.AccountKey(ident.Address{1}), []byte{8, 1}},
		{schema.CollaboratorKey(ident.Hash{2}, ident.Address{0xFE}), []byte{8, 9}},
	}
	if added > 0 {
		rows = append(rows, modelRow{key, encodeRow(t, &pb.CollaboratorRow{Timestamp: added, Permission: pb.Permission_PERMISSION_ADMIN})})
	}
	if tombstone > 0 {
		rows = append(rows, modelRow{schema.TombstoneKey(key), encodeRow(t, &pb.TombstoneRow{Timestamp: tombstone})})
	}
	if pruned > 0 {
		rows = append(rows, modelRow{schema.PruneMarkerKey(key), encodeRow(t, &pb.PruneMarkerRow{Timestamp: pruned})})
	}
	return newModel(rows...)
}

// TestCompound checks all orders of a member's timestamps. A member is active if present and later than the other two.
//
// Rules: T3.3.
func TestCompound(t *testing.T) {
	t.Parallel()
	key := memberKey()
	for added := range uint32(4) {
		for tombstone := range uint32(4) {
			for pruned := range uint32(4) {
				m := memberTree(t, key, added, tombstone, pruned)
				answer, err := proof.Compound(m, key)
				if err != nil {
					t.Fatal(err)
				}
				got, err := proof.VerifyCompound(m.root, key, answer)
				want := proof.Membership{
					Exists: added > 0, Tombstoned: tombstone > 0, Pruned: pruned > 0,
					Active: added > tombstone && added > pruned, AddedAt: added, RemovedAt: max(tombstone, pruned),
				}
				if err != nil || got != want {
					t.Errorf("times %d, %d, %d: %+v, want %+v (%v)", added, tombstone, pruned, got, want, err)
				}
			}
		}
	}
}

// TestCompoundRefTimestampZero checks that a ref whose messages have timestamp 0 is active if its row exists.
//
// Rules: T3.3.
func TestCompoundRefTimestampZero(t *testing.T) {
	t.Parallel()
	key := schema.RefKey(ident.Hash{2}, []byte("main"))
	m := newModel(modelRow{key, encodeRow(t, &pb.RefRow{Hash: make([]byte, 32), Nonce: 1})})
	answer, err := proof.Compound(m, key)
	if err != nil {
		t.Fatal(err)
	}
	got, err := proof.VerifyCompound(m.root, key, answer)
	if want := (proof.Membership{Exists: true, Active: true}); err != nil || got != want {
		t.Errorf("%+v: %v", got, err)
	}
}

// TestCompoundEmptyTree checks compound proofs of the empty tree.
//
// Rules: T1.3, T3.2, T3.3.
func TestCompoundEmptyTree(t *testing.T) {
	t.Parallel()
	key := memberKey()
	answer, err := proof.Compound(newModel(), key)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := proof.VerifyCompound(proof.EmptyRoot(), key, answer); err != nil || got != (proof.Membership{}) {
		t.Errorf("%+v: %v", got, err)
	}
	full := memberTree(t, key, 1, 0, 0)
	answer.Root = full.root[:]
	_, err = proof.VerifyCompound(full.root, key, answer)
	wantSteps(t, err, "active row", proof.StepAdjacency)
}

// TestCompoundInvalid checks that a valid response with one change is refused.
//
// Rules: T3.3, T3.8.
func TestCompoundInvalid(t *testing.T) {
	t.Parallel()
	key := memberKey()
	m := memberTree(t, key, 5, 7, 0) // removed at 7
	valid, err := proof.Compound(m, key)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := proof.Absent(m, schema.TombstoneKey(append(key[:len(key)-1:len(key)-1], 0xAA)))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		change func(*pb.GetCompoundProofResponse)
		steps  []string
	}{
		"other root":               {func(a *pb.GetCompoundProofResponse) { a.Root = make([]byte, 32) }, []string{proof.StepRoot}},
		"active":                   {func(a *pb.GetCompoundProofResponse) { a.Active = true }, []string{proof.StepClaim}},
		"added later":              {func(a *pb.GetCompoundProofResponse) { a.AddedAt = 8 }, []string{proof.StepClaim}},
		"removed earlier":          {func(a *pb.GetCompoundProofResponse) { a.RemovalTs = 4 }, []string{proof.StepClaim}},
		"other value":              {func(a *pb.GetCompoundProofResponse) { a.Value = []byte{8, 9} }, []string{proof.StepValue}},
		"row marked absent":        {func(a *pb.GetCompoundProofResponse) { a.ActiveKeyExists = false }, []string{proof.StepClaim}},
		"tombstone marked absent":  {func(a *pb.GetCompoundProofResponse) { a.TombstoneExists = false }, []string{proof.StepClaim}},
		"marker marked present":    {func(a *pb.GetCompoundProofResponse) { a.PruneMarkerExists = true }, []string{proof.StepClaim}},
		"tombstone of another key": {func(a *pb.GetCompoundProofResponse) { a.TombstoneProof = elsewhere.GetProof() }, []string{"tombstone", proof.StepKey}},
		"tombstone not proven":     {func(a *pb.GetCompoundProofResponse) { a.TombstoneProof = nil }, []string{"tombstone", proof.StepEncoding}},
		"marker not proven":        {func(a *pb.GetCompoundProofResponse) { a.PruneMarkerProof = nil }, []string{"prune marker", proof.StepEncoding}},
		"row not proven":           {func(a *pb.GetCompoundProofResponse) { a.ActiveProof = nil }, []string{"active row", proof.StepEncoding}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := proto.Clone(valid).(*pb.GetCompoundProofResponse)
			test.change(answer)
			_, err := proof.VerifyCompound(m.root, key, answer)
			wantSteps(t, err, test.steps...)
		})
	}
}

// TestCompoundKeys checks that keys are accepted exactly if their rows can have a tombstone.
//
// Rules: T3.3, T3.6.
func TestCompoundKeys(t *testing.T) {
	t.Parallel()
	var owner ident.Address
	var id ident.Hash
	m := newModel()
	for name, test := range map[string]struct {
		key  []byte
		okay bool
	}{
		"collaborator":  {schema.CollaboratorKey(id, owner), true},
		"verification":  {schema.VerificationKey(owner, make([]byte, 20)), true},
		"link":          {schema.LinkKey(owner, 1, owner[:]), true},
		"reaction":      {schema.ReactionKey(owner, 1, id, id), true},
		"merge request": {schema.MergeRequestKey(id, id), true},
		"ref":           {schema.RefKey(id, []byte("main")), true},
		"account":       {schema.AccountKey(owner), false},
		"commit":        {schema.CommitKey(id, id), false},
		"tombstone":     {schema.TombstoneKey(schema.RefKey(id, []byte("main"))), false},
		"truncated":     {schema.MergeRequestKey(id, id)[:40], false},
		"age":           {[]byte{0x18, 1}, false},
		"nothing":       {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, err := proof.Compound(m, test.key)
			if (err == nil) != test.okay || err != nil && !errors.Is(err, proof.ErrKey) {
				t.Fatalf("generated: %v", err)
			}
			_, err = proof.VerifyCompound(m.root, test.key, answer)
			if (err == nil) != test.okay || err != nil && !errors.Is(err, proof.ErrKey) {
				t.Fatalf("verified: %v", err)
			}
		})
	}
}
