package simtest

import (
	"bytes"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// commits lists the commits a project knows.
func (s *sim) commits(project ident.Hash) []ident.Hash {
	var known []ident.Hash
	for _, key := range s.under(schema.CommitKey(project, ident.Hash{})[:1+ident.HashSize]) {
		known = append(known, key.ID)
	}
	return known
}

func (s *sim) refHash(project ident.Hash, name string) (ident.Hash, bool) {
	return ident.HashFrom(load[pb.RefRow](s, schema.RefKey(project, []byte(name))).GetHash())
}

// newCommit describes a commit nobody has seen.
func (s *sim) newCommit(parents ...ident.Hash) message.Commit {
	return message.Commit{
		Hash: s.hash(), Parents: parents, TreeRoot: s.hash(), MessageHash: s.hash(),
		AuthorTimestamp: uint32(s.block.Time), Title: "work", Author: pick(s, s.people).Address,
	}
}

// series makes commits that build on one another, some of them merges of what is known.
func (s *sim) series(base []ident.Hash, known []ident.Hash) []message.Commit {
	var commits []message.Commit
	for range 1 + s.rng.IntN(5) {
		c := s.newCommit(base...)
		if len(known) > 0 && s.chance(20) {
			if other := pick(s, known); !slices.Contains(c.Parents, other) {
				c.Parents = append(slices.Clone(c.Parents), other)
			}
		}
		commits = append(commits, c)
		base = []ident.Hash{c.Hash}
	}
	return commits
}

// commitBundle adds commits anywhere in a project.
func (s *sim) commitBundle(p *person) {
	id := s.anyProject()
	known := s.commits(id)
	var base []ident.Hash
	switch {
	case s.chance(3):
		base = []ident.Hash{s.hash()}
	case len(known) > 0 && s.chance(85):
		base = []ident.Hash{pick(s, known)}
	}
	commits := s.series(base, known)
	s.work(s.member(id, p), message.CommitBundle(id, message.Content{URL: "https://example.org/pack"}, commits...))
	if s.chance(10) { // a push repeated by a client that lost the answer
		s.work(s.member(id, p), message.CommitBundle(id, message.Content{}, commits...))
	}
}

func (s *sim) refName() string { return pick(s, []string{"main", "main", "dev", "v1", "feature/x"}) }

// push adds commits on top of a ref and moves it there, in one block.
func (s *sim) push(p *person) {
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
	s.work(by, message.CommitBundle(id, message.Content{Digest: s.hash()}, commits...))
	s.work(by, message.RefUpdate(id, name, move))
}

// sync declares commits of the parent project in a fork, oldest first.
func (s *sim) sync(p *person) {
	forks := s.forks()
	if len(forks) == 0 {
		return
	}
	id := pick(s, forks).Project
	source := ident.Hash(load[pb.ForkParentRow](s, schema.ForkParentKey(id)).GetSourceProjectId())
	rows := map[ident.Hash]*pb.CommitRow{}
	known := s.commits(source)
	for _, commit := range known {
		rows[commit] = load[pb.CommitRow](s, schema.CommitKey(source, commit))
	}
	slices.SortFunc(known, func(a, b ident.Hash) int {
		if byAge := int(rows[a].GetGeneration()) - int(rows[b].GetGeneration()); byAge != 0 {
			return byAge
		}
		return bytes.Compare(a[:], b[:])
	})
	var commits []message.Commit
	for _, commit := range known[:min(len(known), 1+s.rng.IntN(20))] {
		c := s.newCommit()
		c.Hash = commit
		for _, parent := range rows[commit].GetParents() {
			c.Parents = append(c.Parents, ident.Hash(parent))
		}
		commits = append(commits, c)
	}
	if len(commits) > 0 {
		s.work(s.member(id, p), message.CommitBundle(id, message.Content{}, commits...))
	}
}

// refUpdate moves a ref to any commit, or makes one.
func (s *sim) refUpdate(p *person) {
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
	}
	s.work(s.member(id, p), message.RefUpdate(id, name, move))
}

func (s *sim) refDelete(p *person) {
	id, name := s.anyProject(), s.refName()
	ref := load[pb.RefRow](s, schema.RefKey(id, []byte(name)))
	var expected ident.Hash
	if s.chance(30) && len(ref.GetHash()) > 0 {
		expected = ident.Hash(ref.GetHash())
	} else if s.chance(5) {
		expected = s.hash()
	}
	by := s.member(id, p)
	s.work(by, message.RefDelete(id, name, expected, ref.GetNonce()+1))
	if known := s.commits(id); len(known) > 0 && s.chance(30) {
		// A new life of the same name, in the same block.
		s.work(by, message.RefUpdate(id, name, message.RefMove{New: pick(s, known), Nonce: 1}))
	}
}
