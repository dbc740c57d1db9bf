package simtest

import (
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

func (s *sim) linkAdd(p *user) {
	if len(s.projects) > 0 && s.chance(50) {
		project := pick(s, s.projects)
		if s.chance(20) {
			s.sendConflicting(p, message.Star(project), message.Unstar(project))
			return
		}
		s.sendSigned(p, message.Star(project))
		return
	}
	s.sendSigned(p, message.Follow(pick(s, s.users).Address))
}

func (s *sim) linkRemove(p *user) {
	if len(s.projects) > 0 && s.chance(50) {
		s.sendSigned(p, message.Unstar(pick(s, s.projects)))
		return
	}
	s.sendSigned(p, message.Unfollow(pick(s, s.users).Address))
}

func (s *sim) reactionAdd(p *user) {
	if project, commit, ok := s.anyCommit(); ok {
		s.sendSigned(p, message.Like(project, commit))
	}
}

func (s *sim) reactionRemove(p *user) {
	prefix := append([]byte{byte(schema.PrefixReaction)}, p.Address[:]...)
	if liked := s.under(prefix); len(liked) > 0 {
		like := pick(s, liked)
		s.sendSigned(p, message.Unlike(like.Project, like.ID))
	}
}

// anyCommit returns a random commit, rarely one that does not exist.
func (s *sim) anyCommit() (project, commit ident.Hash, ok bool) {
	if len(s.projects) == 0 {
		return project, commit, false
	}
	project = pick(s, s.projects)
	known := s.commits(project)
	if len(known) == 0 || s.chance(5) {
		return project, s.hash(), true
	}
	return project, pick(s, known), true
}
