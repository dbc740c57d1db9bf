package vectors

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/proof"
)

// stateSet returns every kind of proof of a small state, valid and invalid.
func stateSet(t *testing.T) provenSet {
	t.Helper()
	rows := stateRows(t)
	s := newState(t, rows)
	return provenSet{
		treeVector: treeOf(t, "a small state", rows),
		Proofs:     slices.Concat(goodProofs(t, s), badProofs(t, s)),
		Compounds:  compounds(t, s),
		Ranges:     slices.Concat(goodRanges(t, s), badRanges(t, s)),
		Compact:    slices.Concat(goodCompacts(t, s), badCompacts(t, s)),
		Quotas:     slices.Concat(goodQuotas(t, s), badQuotas(t, s)),
	}
}

func goodProofs(t *testing.T, s *state) []proofVector {
	t.Helper()
	return []proofVector{
		s.present(t, "an account", schema.AccountKey(someAddress("alice"))),
		s.present(t, "a ref", schema.RefKey(someHash("a project"), []byte("refs/heads/c"))),
		s.absent(t, "no such account", schema.AccountKey(someAddress("nobody"))),
		s.absent(t, "no such ref", schema.RefKey(someHash("a project"), []byte("refs/heads/"))),
		s.absent(t, "before the first row", []byte{3}),
		s.absent(t, "after the last row", []byte{0x1c, 0xff}),
	}
}

// compounds returns valid compound proofs, and invalid ones with one change each.
func compounds(t *testing.T, s *state) []compoundVector {
	t.Helper()
	project := someHash("a project")
	member := func(name string) []byte { return schema.CollaboratorKey(project, someAddress(name)) }
	prove := func(name string) *pb.GetCompoundProofResponse {
		return must[*pb.GetCompoundProofResponse](t)(proof.Compound(s, member(name)))
	}
	var list []compoundVector
	for _, name := range []string{"lives", "buried", "pruned", "added again", "never lived"} {
		list = append(list, compoundVector{name, member(name), fields{prove(name)}, true})
	}
	addInvalid := func(name, who string, change func(*pb.GetCompoundProofResponse)) {
		answer := prove(who)
		change(answer)
		list = append(list, compoundVector{name, member(who), fields{answer}, false})
	}
	other := prove("added again")
	addInvalid("buried and said to be active", "buried", func(a *pb.GetCompoundProofResponse) { a.Active = true })
	addInvalid("active and said not to be", "lives", func(a *pb.GetCompoundProofResponse) { a.Active = false })
	addInvalid("another time of adding", "lives", func(a *pb.GetCompoundProofResponse) { a.AddedAt++ })
	addInvalid("another time of removal", "buried", func(a *pb.GetCompoundProofResponse) { a.RemovalTs++ })
	addInvalid("another value", "lives", func(a *pb.GetCompoundProofResponse) { a.Value = []byte{8, 1} })
	addInvalid("another root", "lives", func(a *pb.GetCompoundProofResponse) { a.Root[0] ^= 1 })
	addInvalid("no proof of the tombstone", "lives", func(a *pb.GetCompoundProofResponse) { a.TombstoneProof = nil })
	addInvalid("tombstone of another member", "buried", func(a *pb.GetCompoundProofResponse) {
		a.TombstoneProof, a.TombstoneExists, a.RemovalTs = other.TombstoneProof, false, 0
	})
	addInvalid("prune marker said to be absent", "pruned", func(a *pb.GetCompoundProofResponse) { a.PruneMarkerExists = false })
	account := prove("lives")
	return append(list, compoundVector{"not a member of a set", schema.AccountKey(someAddress("alice")), fields{account}, false})
}

// page proves rows under a prefix.
func (s *state) page(t *testing.T, name string, prefix []byte, limit uint32, cursor []byte) rangeVector {
	t.Helper()
	answer := must[*pb.GetRangeProofResponse](t)(proof.Range(s, prefix, limit, cursor))
	return rangeVector{name, prefix, cursor, fields{answer}, true}
}

func (v *rangeVector) answer() *pb.GetRangeProofResponse {
	return v.Answer.Message.(*pb.GetRangeProofResponse)
}

func goodRanges(t *testing.T, s *state) []rangeVector {
	t.Helper()
	refs := schema.RefKey(someHash("a project"), nil)
	first := s.page(t, "first page", refs, 5, nil)
	second := s.page(t, "second page", refs, 5, first.answer().GetNextCursor())
	third := s.page(t, "last page", refs, 5, second.answer().GetNextCursor())
	return []rangeVector{
		s.page(t, "all refs of a project", refs, 50, nil), first, second, third,
		s.page(t, "one row", schema.RefKey(someHash("another project"), nil), 50, nil),
		s.page(t, "no row in the middle", []byte{0x0e}, 50, nil),
		s.page(t, "no row at the end", []byte{0x1c}, 50, nil),
		s.page(t, "first rows of the tree", []byte{3}, 50, nil),
		s.page(t, "all grants", []byte{0x16}, 50, nil),
		s.page(t, "last row of the tree", []byte{0x17}, 50, nil),
	}
}

func badRanges(t *testing.T, s *state) []rangeVector {
	t.Helper()
	refs := schema.RefKey(someHash("a project"), nil)
	all := s.page(t, "", refs, 50, nil)
	first := s.page(t, "", refs, 5, nil)
	var list []rangeVector
	addInvalid := func(name string, of rangeVector, change func(*rangeVector, *pb.GetRangeProofResponse)) {
		answer := proto.CloneOf(of.answer())
		of.Name, of.Answer, of.Valid = name, fields{answer}, false
		change(&of, answer)
		list = append(list, of)
	}
	type page = *pb.GetRangeProofResponse
	addInvalid("a row left out", all, func(_ *rangeVector, p page) { p.Entries = slices.Delete(p.Entries, 4, 5) })
	addInvalid("the first row left out", all, func(_ *rangeVector, p page) { p.Entries = p.Entries[1:] })
	addInvalid("the last row left out", all, func(_ *rangeVector, p page) { p.Entries = p.Entries[:len(p.Entries)-1] })
	addInvalid("all rows left out", all, func(_ *rangeVector, p page) { p.Entries = nil })
	addInvalid("no lower bound", all, func(_ *rangeVector, p page) { p.LowerBoundProof = nil })
	addInvalid("no upper bound", all, func(_ *rangeVector, p page) { p.UpperBoundProof = nil })
	addInvalid("rows in another order", all, func(_ *rangeVector, p page) { p.Entries[2], p.Entries[3] = p.Entries[3], p.Entries[2] })
	addInvalid("a row twice", all, func(_ *rangeVector, p page) { p.Entries[2] = p.Entries[3] })
	addInvalid("another value", all, func(_ *rangeVector, p page) { p.Entries[2].Value = p.Entries[3].Value })
	addInvalid("another key", all, func(_ *rangeVector, p page) { p.Entries[2].Key = p.Entries[3].Key })
	addInvalid("another root", all, func(_ *rangeVector, p page) { p.Root[0] ^= 1 })
	addInvalid("a narrower prefix", all, func(v *rangeVector, _ page) { v.Prefix = append(slices.Clone(refs), "refs/heads/a"...) })
	addInvalid("a wider prefix", all, func(v *rangeVector, _ page) { v.Prefix = []byte{0x0d} })
	addInvalid("a prefix outside of the root", all, func(v *rangeVector, _ page) { v.Prefix = []byte{0x18} })
	addInvalid("complete with a cursor", all, func(_ *rangeVector, p page) { p.NextCursor = first.answer().GetNextCursor() })
	addInvalid("page said to be complete", first, func(_ *rangeVector, p page) { p.Complete, p.NextCursor = true, nil })
	addInvalid("page without a cursor", first, func(_ *rangeVector, p page) { p.NextCursor = nil })
	addInvalid("cursor that skips rows", first, func(_ *rangeVector, p page) { p.Entries = p.Entries[:4] })
	addInvalid("page of another cursor", first, func(v *rangeVector, p page) { v.Cursor = p.NextCursor })
	return list
}

func (s *state) quota(t *testing.T, name string, owner ident.Address, asOf uint32) quotaVector {
	t.Helper()
	answer := must[*pb.GetStorageQuotaProofResponse](t)(proof.StorageQuota(s, owner, asOf))
	return quotaVector{name, owner[:], asOf, fields{answer}, true}
}

func goodQuotas(t *testing.T, s *state) []quotaVector {
	t.Helper()
	return []quotaVector{
		s.quota(t, "grants that end at the time asked for do not count", someAddress("alice"), now),
		s.quota(t, "an earlier time", someAddress("alice"), now-6),
		s.quota(t, "the last second of time", someAddress("alice"), 1<<32-1),
		s.quota(t, "no username, more units than can be counted", someAddress("bob"), now),
		s.quota(t, "a username that leads to somebody else", someAddress("carol"), now),
		s.quota(t, "an account without a row", someAddress("nobody"), now),
	}
}

func badQuotas(t *testing.T, s *state) []quotaVector {
	t.Helper()
	alice, bob := someAddress("alice"), someAddress("bob")
	type answer = *pb.GetStorageQuotaProofResponse
	bobs := s.quota(t, "", bob, now).Answer.Message.(answer)
	var list []quotaVector
	addInvalid := func(name string, change func(*quotaVector, answer)) {
		v := s.quota(t, name, alice, now)
		v.Valid = false
		change(&v, v.Answer.Message.(answer))
		list = append(list, v)
	}
	addInvalid("more units than granted", func(_ *quotaVector, a answer) { a.StorageUnits++ })
	addInvalid("more usable units", func(_ *quotaVector, a answer) { a.UsableStorageUnits++ })
	addInvalid("fewer projects", func(_ *quotaVector, a answer) { a.MaxProjects-- })
	addInvalid("other merge requests per requester", func(_ *quotaVector, a answer) { a.MaxMergeRequestsPerRequester++ })
	addInvalid("a grant left out", func(_ *quotaVector, a answer) { a.Grants, a.StorageUnits = a.Grants[1:], 3 })
	addInvalid("last grant left out", func(_ *quotaVector, a answer) { a.Grants, a.StorageUnits = a.Grants[:1], 4 })
	addInvalid("asked for another time", func(v *quotaVector, _ answer) { v.AsOf-- })
	addInvalid("answer about another time", func(v *quotaVector, a answer) { v.AsOf--; a.AsOfUnixTime-- })
	addInvalid("asked for another account", func(v *quotaVector, _ answer) { v.Owner = bob[:] })
	addInvalid("account row of another", func(_ *quotaVector, a answer) { a.AccountValue, a.AccountProof = bobs.AccountValue, bobs.AccountProof })
	addInvalid("another account row than proven", func(_ *quotaVector, a answer) { a.AccountValue = bobs.AccountValue })
	addInvalid("no proof of the username", func(_ *quotaVector, a answer) { a.UsernameProof = nil })
	addInvalid("account row for a username row", func(_ *quotaVector, a answer) { a.UsernameProof = a.AccountProof })
	addInvalid("another lower bound than proven", func(_ *quotaVector, a answer) { a.LowerBoundKey = a.UpperBoundKey })
	addInvalid("no upper bound", func(_ *quotaVector, a answer) { a.UpperBoundKey, a.UpperBoundProof = nil, nil })
	addInvalid("another root", func(_ *quotaVector, a answer) { a.Root[0] ^= 1 })
	return list
}
