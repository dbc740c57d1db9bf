package vectors

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/proof"
)

// compactVector is a compact range proof of the rows under a prefix after a key, complete or not.
type compactVector struct {
	Name     string   `json:"name"`
	Prefix   hexBytes `json:"prefix"`
	After    hexBytes `json:"after"`
	Complete bool     `json:"complete"`
	Proof    fields   `json:"proof"`
	Valid    bool     `json:"valid"`
}

func (v *compactVector) verify(root [32]byte) error {
	var after []byte
	if len(v.After) > 0 {
		after = v.After
	}
	return proof.VerifyCompactRange(root, v.Prefix, after, v.Complete, v.Proof.Message.(*pb.CompactRangeProof))
}

// compact proves the rows under a prefix after a key, at most limit.
func (s *state) compact(t *testing.T, name string, prefix, after []byte, limit int) compactVector {
	t.Helper()
	full := must[*pb.CompactRangeProof](t)(proof.CompactRange(s, prefix))
	page, complete := proof.CompactPage(full, after, limit, proof.MaxAnswerSize)
	return compactVector{name, prefix, after, complete, fields{page}, true}
}

func goodCompacts(t *testing.T, s *state) []compactVector {
	t.Helper()
	refs := schema.RefKey(someHash("a project"), nil)
	list := []compactVector{s.compact(t, "all refs of a project", refs, nil, 50)}
	for i, name := range []string{"first page", "second page", "last page"} {
		var after []byte
		if i > 0 {
			rows := list[i].Proof.Message.(*pb.CompactRangeProof).GetRows()
			after = rows[len(rows)-1].GetKey()
		}
		list = append(list, s.compact(t, name, refs, after, 5))
	}
	return append(list,
		s.compact(t, "one row", schema.RefKey(someHash("another project"), nil), nil, 50),
		s.compact(t, "no row in the middle", []byte{0x0e}, nil, 50),
		s.compact(t, "no row at the end", []byte{0x1c}, nil, 50),
		s.compact(t, "first rows of the tree", []byte{3}, nil, 50),
		s.compact(t, "last row of the tree", []byte{0x17}, nil, 50),
	)
}

func badCompacts(t *testing.T, s *state) []compactVector {
	t.Helper()
	refs := schema.RefKey(someHash("a project"), nil)
	all := s.compact(t, "", refs, nil, 50)
	first := s.compact(t, "", refs, nil, 5)
	last := s.compact(t, "", []byte{0x17}, nil, 50)
	var list []compactVector
	type page = *pb.CompactRangeProof
	addInvalid := func(name string, of compactVector, change func(*compactVector, page)) {
		changed := proto.CloneOf(of.Proof.Message.(*pb.CompactRangeProof))
		of.Name, of.Proof, of.Valid = name, fields{changed}, false
		change(&of, changed)
		list = append(list, of)
	}
	addInvalid("a row left out", all, func(_ *compactVector, p page) { p.Rows = slices.Delete(p.Rows, 4, 5) })
	addInvalid("all rows left out", all, func(_ *compactVector, p page) { p.Rows = nil })
	addInvalid("another value", all, func(_ *compactVector, p page) { p.Rows[2].Value = p.Rows[3].Value })
	addInvalid("rows in another order", all, func(_ *compactVector, p page) { p.Rows[2], p.Rows[3] = p.Rows[3], p.Rows[2] })
	addInvalid("a row twice", all, func(_ *compactVector, p page) { p.Rows[2] = p.Rows[3] })
	addInvalid("no lower bound", all, func(_ *compactVector, p page) { p.LowerKey, p.LowerValueHash = nil, nil })
	addInvalid("no upper bound", all, func(_ *compactVector, p page) { p.UpperKey, p.UpperValueHash = nil, nil })
	addInvalid("another value of the lower bound", all, func(_ *compactVector, p page) { p.LowerValueHash[0] ^= 1 })
	addInvalid("another hash", all, func(_ *compactVector, p page) { p.Hashes[0] ^= 1 })
	addInvalid("a part of a hash", all, func(_ *compactVector, p page) { p.Hashes = p.Hashes[:len(p.Hashes)-1] })
	addInvalid("an unknown operation", all, func(_ *compactVector, p page) { p.Operations[0] = 3 })
	addInvalid("no operations", all, func(_ *compactVector, p page) { p.Operations = nil })
	addInvalid("an operation more", all, func(_ *compactVector, p page) { p.Operations = append(p.Operations, 2) })
	addInvalid("a row as a hash", all, func(_ *compactVector, p page) {
		at := slices.Index(p.Operations, 0) + 1
		p.Operations[at+slices.Index(p.Operations[at:], 0)] = 1
	})
	addInvalid("a narrower prefix", all, func(v *compactVector, _ page) { v.Prefix = append(slices.Clone(refs), "refs/heads/a"...) })
	addInvalid("a wider prefix", all, func(v *compactVector, _ page) { v.Prefix = []byte{0x0d} })
	addInvalid("a prefix outside of the root", all, func(v *compactVector, _ page) { v.Prefix = []byte{0x18} })
	addInvalid("said to continue", all, func(v *compactVector, _ page) { v.Complete = false })
	addInvalid("page said to be complete", first, func(v *compactVector, _ page) { v.Complete = true })
	addInvalid("page after another key", first, func(v *compactVector, p page) { v.After = p.Rows[4].GetKey() })
	addInvalid("two hashes joined", last, func(_ *compactVector, p page) {
		p.Hashes = append(slices.Clone(p.Hashes), p.Hashes[:32]...)
		p.Operations = append([]byte{1, 1, 2}, p.Operations[1:]...)
	})
	return list
}
