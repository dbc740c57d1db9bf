package proof_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/proof"
)

// FuzzVerifyOperation checks that only true statements verify, whatever the bytes of the proof.
//
// Rules: T3.1, T3.2, I10.
func FuzzVerifyOperation(f *testing.F) {
	keys := alphabet(2)
	m := sample(rand.New(rand.NewPCG(8, 8)), keys, 2)
	for _, key := range keys {
		if answer, err := proof.Exists(m, key); err == nil && answer != nil {
			f.Add(answer.GetProof(), key, answer.GetValue())
		}
		if answer, err := proof.Absent(m, key); err == nil && answer != nil {
			f.Add(answer.GetProof(), key, []byte(nil))
		}
	}
	f.Fuzz(func(t *testing.T, encoded, key, value []byte) {
		i, there := m.find(key)
		if proof.VerifyOperation(m.root, key, value, encoded) == nil && (!there || !bytes.Equal(m.rows[i].value, value)) {
			t.Fatalf("row %x with value %x verifies", key, value)
		}
		if proof.VerifyExclusion(m.root, key, encoded) == nil && there {
			t.Fatalf("absence of %x verifies", key)
		}
	})
}

// FuzzVerifyRange checks that a page that verifies has exactly the rows of the range.
//
// Rules: T3.4, I10.
func FuzzVerifyRange(f *testing.F) {
	keys := alphabet(3)
	m := sample(rand.New(rand.NewPCG(9, 9)), keys, 3)
	for _, prefix := range keys[:13] {
		page, err := proof.Range(m, prefix, 3, nil)
		if err != nil {
			f.Fatal(err)
		}
		encoded, err := proto.Marshal(page)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded, prefix, []byte(nil))
		f.Add(encoded, prefix, page.GetNextCursor())
	}
	f.Fuzz(func(t *testing.T, encoded, prefix, cursor []byte) {
		page := new(pb.GetRangeProofResponse)
		if proto.Unmarshal(encoded, page) != nil || proof.VerifyRange(m.root, prefix, cursor, page) != nil {
			return
		}
		var after []byte
		if len(cursor) > 0 {
			after = cursor[2:]
		}
		_, want, _ := m.span(prefix, after)
		if !page.GetComplete() {
			want = want[:min(len(want), len(page.GetEntries()))]
		}
		if got := entryRows(page); !slices.EqualFunc(got, want, sameRow) {
			t.Fatalf("range %x after %x: rows %x verify, not %x", prefix, after, got, want)
		}
	})
}

// FuzzVerifyCompactRange checks that a proof that verifies has exactly the rows of the range.
//
// Rules: T3.9, I10.
func FuzzVerifyCompactRange(f *testing.F) {
	keys := alphabet(3)
	m := sample(rand.New(rand.NewPCG(10, 10)), keys, 3)
	for _, prefix := range keys[:13] {
		full := compactRange(f, m, prefix)
		part, complete := proof.CompactPage(full, prefix, 3, proof.MaxAnswerSize)
		for _, page := range []*pb.CompactRangeProof{full, part} {
			encoded, err := proto.Marshal(page)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(encoded, prefix, []byte(nil), true)
			f.Add(encoded, prefix, prefix, complete)
		}
	}
	f.Fuzz(func(t *testing.T, encoded, prefix, after []byte, complete bool) {
		page := new(pb.CompactRangeProof)
		if len(after) == 0 {
			after = nil
		}
		if proto.Unmarshal(encoded, page) != nil || proof.VerifyCompactRange(m.root, prefix, after, complete, page) != nil {
			return
		}
		_, want, _ := m.span(prefix, after)
		if !complete {
			want = want[:min(len(want), len(page.GetRows()))]
		}
		if got := compactRows(page); !slices.EqualFunc(got, want, sameRow) {
			t.Fatalf("range %x after %x: rows %x verify, not %x", prefix, after, got, want)
		}
	})
}

// FuzzVerifyQuota checks that a quota proof that verifies has the units of the active grants.
//
// Rules: T3.5, I10.
func FuzzVerifyQuota(f *testing.F) {
	m := quotaTree(f)
	units := func(asOf uint32) (sum uint32) {
		for _, g := range []grant{{90, 1, 100}, {100, 1, 1}, {101, 1, 2}, {102, 1, 3}} {
			if g.expiresAt > asOf {
				sum += g.units
			}
		}
		return sum
	}
	for _, asOf := range []uint32{0, 95, 101, 200} {
		answer, err := proof.StorageQuota(m, quotaOwner, asOf)
		if err != nil {
			f.Fatal(err)
		}
		encoded, err := proto.Marshal(answer)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded, asOf)
	}
	f.Fuzz(func(t *testing.T, encoded []byte, asOf uint32) {
		answer := new(pb.GetStorageQuotaProofResponse)
		if proto.Unmarshal(encoded, answer) != nil {
			return
		}
		got, err := proof.VerifyStorageQuota(m.root, quotaOwner, asOf, answer)
		if want := units(asOf); err == nil && (got.StorageUnits != want || got.UsableStorageUnits != want) {
			t.Fatalf("as of %d: %d units verify, not %d", asOf, got.StorageUnits, want)
		}
	})
}

// FuzzVerifyCompound checks that a compound proof that verifies agrees with the rows.
//
// Rules: T3.3, I10.
func FuzzVerifyCompound(f *testing.F) {
	m := memberTree(f, memberKey(), 5, 7, 0)
	answer, err := proof.Compound(m, memberKey())
	if err != nil {
		f.Fatal(err)
	}
	encoded, err := proto.Marshal(answer)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(encoded)
	f.Fuzz(func(t *testing.T, encoded []byte) {
		answer := new(pb.GetCompoundProofResponse)
		if proto.Unmarshal(encoded, answer) != nil {
			return
		}
		got, err := proof.VerifyCompound(m.root, memberKey(), answer)
		want := proof.Membership{Exists: true, Tombstoned: true, AddedAt: 5, RemovedAt: 7}
		if err == nil && got != want {
			t.Fatalf("%+v verifies", got)
		}
	})
}
