package simtest

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

func (s *sim) collaboratorAdd(p *user) {
	id := s.anyProject()
	s.sendSigned(s.member(id, p), message.CollaboratorAdd(id, pick(s, s.users).Address, pb.Permission(s.rng.IntN(4))))
}

// inviteMany adds unknown accounts to the first project, so that the quota prunes.
func (s *sim) inviteMany(*user) {
	if len(s.projects) == 0 {
		return
	}
	id := s.projects[0]
	owner := s.byAddress(s.project(id).GetOwnerAddress())
	for range 14 {
		s.sendSigned(owner, message.CollaboratorAdd(id, s.address(), pb.Permission_PERMISSION_READ))
	}
}

func (s *sim) collaboratorRemove(p *user) {
	id := s.anyProject()
	target := pick(s, s.users).Address
	if invited := s.under(schema.CollaboratorKey(id, target)[:1+ident.HashSize]); len(invited) > 0 && s.chance(60) {
		target = pick(s, invited).Owner
	}
	s.sendSigned(s.member(id, p), message.CollaboratorRemove(id, target))
}
