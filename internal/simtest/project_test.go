package simtest

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

func (s *sim) project(id ident.Hash) *pb.ProjectRow {
	return load[pb.ProjectRow](s, schema.ProjectKey(id))
}

// popular is the number of first projects that are never closed, so that they are used a lot.
const popular = 5

// anyProject returns a random project, rarely one that does not exist.
func (s *sim) anyProject() ident.Hash {
	if len(s.projects) == 0 || s.chance(1) {
		return s.hash()
	}
	if s.chance(50) {
		return pick(s, s.projects[:min(len(s.projects), popular)])
	}
	return pick(s, s.projects)
}

// closable returns a project that may be closed, mostly one of the newest.
func (s *sim) closable() (id ident.Hash, ok bool) {
	if len(s.projects) <= popular {
		return id, false
	}
	newest := s.projects[max(popular, len(s.projects)-6):]
	if s.chance(20) {
		newest = s.projects[popular:]
	}
	return pick(s, newest), true
}

// member returns a user that acts in a project: mostly the owner, a collaborator, or any user.
func (s *sim) member(id ident.Hash, otherwise *user) *user {
	if s.chance(10) {
		return otherwise
	}
	if s.chance(25) {
		for _, key := range s.under(schema.CollaboratorKey(id, ident.Address{})[:1+ident.HashSize]) {
			if p := s.byAddress(key.Owner[:]); p != nil && s.chance(50) {
				return p
			}
		}
	}
	if p := s.byAddress(s.project(id).GetOwnerAddress()); p != nil {
		return p
	}
	return otherwise
}

func (s *sim) projectName() string {
	return pick(s, []string{"a", "b", "tool", "tool-2", "Tool", "site", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "-bad-"})
}

// visibility returns public in most cases.
func (s *sim) visibility() pb.Visibility {
	if s.chance(15) {
		return pb.Visibility_VISIBILITY_PRIVATE
	}
	return pb.Visibility_VISIBILITY_PUBLIC
}

func (s *sim) projectCreate(p *user) {
	s.sendSigned(p, message.ProjectCreate(s.projectName(), s.visibility(), "", "MIT"))
}

func (s *sim) fork(p *user) {
	source, commit := s.anyProject(), s.hash()
	if known := s.commits(source); len(known) > 0 && s.chance(95) {
		commit = pick(s, known)
	}
	s.sendSigned(p, message.Fork(source, commit, s.projectName(), s.visibility()))
}

func (s *sim) projectRemove(p *user) {
	if id, ok := s.closable(); ok {
		s.sendSigned(s.member(id, p), message.ProjectRemove(id))
	}
}

func (s *sim) projectArchive(p *user) {
	if id, ok := s.closable(); ok {
		s.sendSigned(s.member(id, p), message.ProjectArchive(id))
	}
}

func (s *sim) projectMetadata(p *user) {
	id := s.anyProject()
	field, value := pick(s, metadataFields()), "text"
	switch field {
	case pb.ProjectMetadataType_PROJECT_METADATA_NAME:
		value = s.projectName()
	case pb.ProjectMetadataType_PROJECT_METADATA_CONTENT:
		value = pick(s, []string{"", "https://a.example", "https://a.example/x\nhttp://b.example"})
	case pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY:
		value = pick(s, []string{"public", "public", "private"})
	}
	by := s.member(id, p)
	if field == pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION && s.chance(40) {
		s.sendConflicting(by, message.ProjectMetadata(id, field, value), message.ProjectMetadata(id, field, "another"))
		return
	}
	s.sendSigned(by, message.ProjectMetadata(id, field, value))
}

func metadataFields() []pb.ProjectMetadataType {
	return []pb.ProjectMetadataType{
		pb.ProjectMetadataType_PROJECT_METADATA_NAME, pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION,
		pb.ProjectMetadataType_PROJECT_METADATA_LICENSE, pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY,
		pb.ProjectMetadataType_PROJECT_METADATA_CONTENT, pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH,
	}
}
