package simtest

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// forks returns the forks.
func (s *sim) forks() []schema.Key { return s.under([]byte{byte(schema.PrefixForkParent)}) }

// ancestor returns a project of which fork is a direct or indirect fork.
func (s *sim) ancestor(fork ident.Hash) ident.Hash {
	for {
		parent := load[pb.ForkParentRow](s, schema.ForkParentKey(fork))
		source, ok := ident.HashFrom(parent.GetSourceProjectId())
		if !ok {
			return fork
		}
		if fork = source; s.chance(20) {
			return fork
		}
	}
}

func (s *sim) mergeRequestAdd(p *user) {
	forks := s.forks()
	if len(forks) == 0 {
		return
	}
	source := pick(s, forks).Project
	target := s.ancestor(source)
	if s.chance(4) {
		target = s.anyProject()
	}
	refs := s.under(schema.RefKey(source, nil))
	proposal := message.MergeProposal{Source: source, SourceRef: "main", SourceCommit: s.hash(), TargetRef: "main", Title: "please"}
	if len(refs) > 0 && s.chance(95) {
		proposal.SourceRef = string(pick(s, refs).Name)
		if at, ok := s.refHash(source, proposal.SourceRef); ok && s.chance(97) {
			proposal.SourceCommit = at
		}
	}
	for range 1 + s.rng.IntN(5) {
		proposal.Title += "!"
		s.sendSigned(p, message.MergeRequestAdd(target, proposal))
	}
}

func (s *sim) mergeRequestRemove(p *user) {
	open := s.under([]byte{byte(schema.PrefixMergeRequest)})
	if len(open) == 0 {
		return
	}
	key := pick(s, open)
	request := load[pb.MergeRequestRow](s, key.Bytes())
	by := s.member(key.Project, p)
	if requester := s.byAddress(request.GetRequesterOwnerAddress()); requester != nil && s.chance(50) {
		by = requester
	}
	if s.chance(5) {
		key.ID = s.hash()
	}
	s.sendSigned(by, message.MergeRequestRemove(key.Project, key.ID))
}
