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
	open := s.under(append(schema.MergeRequestByRequesterPrefix(p.Address), target[:]...))
	for range 1 + s.rng.IntN(5) {
		proposal.Title += "!"
		proposal.Replaces = ident.Hash{}
		if s.chance(25) && len(open) > 0 {
			proposal.Replaces = pick(s, open).ID
		} else if s.chance(2) {
			proposal.Replaces = s.hash()
		}
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
	outcome := pb.MergeRequestOutcome(s.rng.IntN(int(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_SUPERSEDED)))
	var mergeCommit ident.Hash
	if known := s.commits(key.Project); outcome == pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED && len(known) > 0 && s.chance(70) {
		mergeCommit = pick(s, known)
		if at, ok := s.refHash(key.Project, string(request.GetTargetRef())); ok && s.chance(50) {
			mergeCommit = at
		}
	}
	s.sendSigned(by, message.MergeRequestClose(key.Project, key.ID, outcome, mergeCommit))
}
