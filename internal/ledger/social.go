package ledger

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

func (s *transition) linkAdd(b *pb.LinkAddBody) *message.Refusal {
	if b.GetLinkType() == pb.LinkType_LINK_TYPE_STAR {
		if _, refusal := s.existingProject(hash(b.GetTargetProjectId())); refusal != nil {
			return refusal
		}
	}
	set, refusal := s.links()
	if refusal != nil {
		return refusal
	}
	linkType, target, row := byte(b.GetLinkType()), s.linkTarget(b), &pb.LinkRow{Timestamp: s.timestamp()}
	if refusal := s.add(set, schema.LinkKey(s.Owner, linkType, target), row); refusal != nil {
		return refusal
	}
	s.rows.put(schema.LinkByTargetKey(linkType, target, s.Owner), row)
	s.saveAccountSet(schema.CounterLinks, set)
	return nil
}

func (s *transition) linkRemove(b *pb.LinkRemoveBody) *message.Refusal {
	set, refusal := s.links()
	if refusal != nil {
		return refusal
	}
	if refusal := s.remove(set, schema.LinkKey(s.Owner, byte(b.GetLinkType()), s.linkTarget(b))); refusal != nil {
		return refusal
	}
	s.saveAccountSet(schema.CounterLinks, set)
	return nil
}

// linkTarget returns the target of a link, a project for a star and otherwise an account, and adds it to the effects.
func (s *transition) linkTarget(b interface {
	GetLinkType() pb.LinkType
	GetTargetOwnerAddress() []byte
	GetTargetProjectId() []byte
},
) []byte {
	if b.GetLinkType() == pb.LinkType_LINK_TYPE_STAR {
		s.affectProject(hash(b.GetTargetProjectId()))
		return b.GetTargetProjectId()
	}
	s.affectAccount(address(b.GetTargetOwnerAddress()))
	return b.GetTargetOwnerAddress()
}

func (s *transition) links() (*memberSet, *message.Refusal) {
	return s.accountSet(schema.CounterLinks, schema.LinksPerUnit, func(key, _ []byte) {
		parsed, err := schema.ParseKey(key)
		s.rows.fail(err)
		s.rows.delete(schema.LinkByTargetKey(parsed.Tag, parsed.LinkTarget(), parsed.Owner))
	})
}

func (s *transition) reactionAdd(b *pb.ReactionAddBody) *message.Refusal {
	project, commit := hash(b.GetTargetProjectId()), hash(b.GetTargetCommitHash())
	if _, refusal := s.existingProject(project); refusal != nil {
		return refusal
	}
	if refusal := s.requireCommit(project, commit); refusal != nil {
		return refusal
	}
	set, refusal := s.reactions()
	if refusal != nil {
		return refusal
	}
	reactionType, row := byte(b.GetReactionType()), &pb.ReactionRow{Timestamp: s.timestamp()}
	if refusal := s.add(set, schema.ReactionKey(s.Owner, reactionType, project, commit), row); refusal != nil {
		return refusal
	}
	s.rows.put(schema.ReactionByTargetKey(reactionType, project, commit, s.Owner), row)
	s.affectProject(project)
	s.saveAccountSet(schema.CounterReactions, set)
	return nil
}

func (s *transition) reactionRemove(b *pb.ReactionRemoveBody) *message.Refusal {
	set, refusal := s.reactions()
	if refusal != nil {
		return refusal
	}
	project, commit := hash(b.GetTargetProjectId()), hash(b.GetTargetCommitHash())
	if refusal := s.remove(set, schema.ReactionKey(s.Owner, byte(b.GetReactionType()), project, commit)); refusal != nil {
		return refusal
	}
	s.affectProject(project)
	s.saveAccountSet(schema.CounterReactions, set)
	return nil
}

func (s *transition) reactions() (*memberSet, *message.Refusal) {
	return s.accountSet(schema.CounterReactions, schema.ReactionsPerUnit, func(key, _ []byte) {
		parsed, err := schema.ParseKey(key)
		s.rows.fail(err)
		s.rows.delete(schema.ReactionByTargetKey(parsed.Tag, parsed.Project, parsed.ID, parsed.Owner))
	})
}

// requireCommit refuses a commit that does not exist in a project.
func (s *transition) requireCommit(project, commit ident.Hash) *message.Refusal {
	if !s.rows.has(schema.CommitKey(project, commit)) {
		return refuse(message.CodeUnknownCommit, "commit %s does not exist in project %s", commit, project)
	}
	return nil
}
