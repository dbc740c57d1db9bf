package simtest

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

func (s *sim) collaboratorAdd(p *person) {
	id := s.anyProject()
	s.say(s.member(id, p), message.CollaboratorAdd(id, pick(s, s.people).Address, pb.Permission(s.rng.IntN(4))))
}

// crowd invites strangers to the first project, so that the quota has to prune.
func (s *sim) crowd(*person) {
	if len(s.projects) == 0 {
		return
	}
	id := s.projects[0]
	owner := s.byAddress(s.project(id).GetOwnerAddress())
	for range 14 {
		s.say(owner, message.CollaboratorAdd(id, s.address(), pb.Permission_PERMISSION_READ))
	}
}

func (s *sim) collaboratorRemove(p *person) {
	id := s.anyProject()
	target := pick(s, s.people).Address
	if invited := s.under(schema.CollaboratorKey(id, target)[:1+ident.HashSize]); len(invited) > 0 && s.chance(60) {
		target = pick(s, invited).Owner
	}
	s.say(s.member(id, p), message.CollaboratorRemove(id, target))
}
