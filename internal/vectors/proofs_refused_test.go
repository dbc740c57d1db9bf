package vectors

import (
	"slices"
	"testing"

	ics23 "github.com/cosmos/ics23/go"

	"makechain/internal/schema"
)

// badProofs returns invalid existence and non-existence proofs, each with one fault.
func badProofs(t *testing.T, s *state) []proofVector {
	t.Helper()
	ref := s.present(t, "", schema.RefKey(someHash("a project"), []byte("refs/heads/c")))
	gone := s.absent(t, "", schema.AccountKey(someAddress("nobody")))
	var list []proofVector
	addInvalid := func(name string, v proofVector, change func(*proofVector)) {
		v.Name, v.Valid = name, false
		change(&v)
		list = append(list, v)
	}
	addInvalid("another value", ref, func(v *proofVector) { v.Value = []byte{1} })
	addInvalid("another key", ref, func(v *proofVector) { v.Key = schema.RefKey(someHash("a project"), []byte("refs/heads/d")) })
	addInvalid("presence taken for absence", ref, func(v *proofVector) { v.Present, v.Value = false, nil })
	addInvalid("absence taken for presence", gone, func(v *proofVector) { v.Present, v.Value = true, []byte{1} })
	addInvalid("absence of a row that is there", gone, func(v *proofVector) { v.Key = ref.Key })
	addInvalid("no proof", ref, func(v *proofVector) { v.Proof = nil })
	addInvalid("cut off", ref, func(v *proofVector) { v.Proof = v.Proof[:len(v.Proof)-1] })
	addInvalid("unknown field at the end", ref, func(v *proofVector) { v.Proof = appendVarint(slices.Clone(v.Proof), 15, 1) })
	for at := 3; at < len(ref.Proof); at += 37 {
		addInvalid("byte flipped", ref, func(v *proofVector) { v.Proof = slices.Clone(v.Proof); v.Proof[at] ^= 0x10 })
	}
	change := func(name string, v proofVector, change func(*ics23.CommitmentProof)) {
		addInvalid(name, v, func(v *proofVector) { v.Proof = reshape(t, v.Proof, change) })
	}
	change("leaf prefix that goes on", ref, func(p *ics23.CommitmentProof) { p.GetExist().Leaf.Prefix = []byte{0, 0} })
	change("leaf without hashing the value", ref, func(p *ics23.CommitmentProof) { p.GetExist().Leaf.PrehashValue = ics23.HashOp_NO_HASH })
	change("a step left out", ref, func(p *ics23.CommitmentProof) { p.GetExist().Path = p.GetExist().Path[1:] })
	change("inner node with a leaf's prefix", ref, func(p *ics23.CommitmentProof) { p.GetExist().Path[0].Prefix[0] = 0 })
	change("no left neighbour", gone, func(p *ics23.CommitmentProof) { p.GetNonexist().Left = nil })
	change("no right neighbour", gone, func(p *ics23.CommitmentProof) { p.GetNonexist().Right = nil })
	change("no neighbours", gone, func(p *ics23.CommitmentProof) { p.GetNonexist().Left, p.GetNonexist().Right = nil, nil })
	change("neighbours on the wrong sides", gone, func(p *ics23.CommitmentProof) {
		p.GetNonexist().Left, p.GetNonexist().Right = p.GetNonexist().Right, p.GetNonexist().Left
	})
	change("said of another key", gone, func(p *ics23.CommitmentProof) { p.GetNonexist().Key = ref.Key })
	return append(list, farNeighbours(t, s, gone))
}

// farNeighbours returns a proof with rows on both sides of a key that are not adjacent.
func farNeighbours(t *testing.T, s *state, gone proofVector) proofVector {
	t.Helper()
	far := s.present(t, "", schema.RefKey(someHash("a project"), []byte("refs/heads/l")))
	right := decodeProof(t, far.Proof).GetExist()
	gone.Name, gone.Valid = "neighbours with rows between them", false
	gone.Proof = reshape(t, gone.Proof, func(p *ics23.CommitmentProof) { p.GetNonexist().Right = right })
	return gone
}

func decodeProof(t *testing.T, encoded []byte) *ics23.CommitmentProof {
	t.Helper()
	p := new(ics23.CommitmentProof)
	if err := p.Unmarshal(encoded); err != nil {
		t.Fatal(err)
	}
	return p
}

func reshape(t *testing.T, encoded []byte, change func(*ics23.CommitmentProof)) []byte {
	t.Helper()
	p := decodeProof(t, encoded)
	change(p)
	return must[[]byte](t)(p.Marshal())
}
