package simtest

import (
	"bytes"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// commits returns the commits of a project.
func (s *sim) commits(project ident.Hash) []ident.Hash {
	var known []ident.Hash
	for _, key := range s.under(schema.CommitKey(project, ident.Hash{})[:1+ident.HashSize]) {
		known = append(known, key.ID)
	}
	return known
}

// newCommit returns a new random commit.
func (s *sim) newCommit(parents ...ident.Hash) message.Commit {
	return message.Commit{
		Hash: s.hash(), Parents: parents, TreeRoot: s.hash(), MessageHash: s.hash(),
		AuthorTimestamp: uint32(s.block.Time), Title: "work", Author: pick(s, s.users).Address, AuthorName: pick(s, []string{"", "Ada"}),
	}
}

// series returns a chain of commits, some of which merge existing ones.
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

// commitBundle adds commits on top of any commit of a project.
func (s *sim) commitBundle(p *user) {
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
	var content message.Content
	if s.chance(70) { // some bundles have the same digest
		content = message.Content{Digest: ident.Hash{1 + byte(s.rng.IntN(9))}, URL: "https://example.org/pack"}
	}
	s.sendAsAgent(s.member(id, p), message.CommitBundle(id, content, commits...))
	if s.chance(10) { // a push repeated by a client that did not receive the response
		s.sendAsAgent(s.member(id, p), message.CommitBundle(id, message.Content{}, commits...))
	}
}

// sync adds commits of the parent project to a fork, oldest first.
func (s *sim) sync(p *user) {
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
		s.sendAsAgent(s.member(id, p), message.CommitBundle(id, message.Content{}, commits...))
	}
}
