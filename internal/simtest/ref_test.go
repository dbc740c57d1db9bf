package simtest

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

func (s *sim) refHash(project ident.Hash, name string) (ident.Hash, bool) {
	return ident.HashFrom(load[pb.RefRow](s, schema.RefKey(project, []byte(name))).GetHash())
}

func (s *sim) refName() string { return pick(s, []string{"main", "main", "dev", "v1", "feature/x"}) }

// push adds commits on top of a ref and updates it, in one block.
func (s *sim) push(p *user) {
	id, name := s.anyProject(), s.refName()
	by, known := s.member(id, p), s.commits(id)
	ref := load[pb.RefRow](s, schema.RefKey(id, []byte(name)))
	var base []ident.Hash
	if at, ok := s.refHash(id, name); ok {
		base = []ident.Hash{at}
	} else if len(known) > 0 {
		base = []ident.Hash{pick(s, known)}
	}
	commits := s.series(base, known)
	move := message.RefMove{Type: ref.GetRefType(), New: commits[len(commits)-1].Hash, Nonce: ref.GetNonce() + 1}
	if len(ref.GetHash()) > 0 && s.chance(50) {
		move.Old = ident.Hash(ref.GetHash())
	}
	s.sendAsAgent(by, message.CommitBundle(id, message.Content{Digest: s.hash()}, commits...))
	s.sendAsAgent(by, message.RefUpdate(id, name, move))
}

// refUpdate moves a ref to any commit, or creates one.
func (s *sim) refUpdate(p *user) {
	id, name := s.anyProject(), s.refName()
	known := s.commits(id)
	if len(known) == 0 {
		return
	}
	ref := load[pb.RefRow](s, schema.RefKey(id, []byte(name)))
	move := message.RefMove{Type: ref.GetRefType(), New: pick(s, known), Force: s.chance(40), Nonce: ref.GetNonce() + 1}
	switch s.rng.IntN(20) {
	case 0:
		move.Nonce++
	case 1:
		move.Old = s.hash()
	case 2:
		move.Type ^= 1
	case 3:
		move.New = s.hash()
	case 4:
		move.New, _ = s.refHash(id, name)
	case 5:
		move.ContentDigest = s.hash()
	case 6:
		move.TagObject = s.hash()
	}
	if move.Type == pb.RefType_REF_TYPE_TAG && s.chance(50) {
		move.TagObject = s.hash()
	}
	s.sendAsAgent(s.member(id, p), message.RefUpdate(id, name, move))
}

func (s *sim) refDelete(p *user) {
	id, name := s.anyProject(), s.refName()
	ref := load[pb.RefRow](s, schema.RefKey(id, []byte(name)))
	var expected ident.Hash
	if s.chance(30) && len(ref.GetHash()) > 0 {
		expected = ident.Hash(ref.GetHash())
	} else if s.chance(5) {
		expected = s.hash()
	}
	by := s.member(id, p)
	s.sendAsAgent(by, message.RefDelete(id, name, expected, ref.GetNonce()+1))
	if known := s.commits(id); len(known) > 0 && s.chance(30) {
		// A new ref with the same name, in the same block.
		s.sendAsAgent(by, message.RefUpdate(id, name, message.RefMove{New: pick(s, known), Nonce: 1}))
	}
}
