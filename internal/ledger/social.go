package ledger

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

func (s *step) linkAdd(b *pb.LinkAddBody) *message.Refusal {
	target := b.GetTargetOwnerAddress()
	if b.GetLinkType() == pb.LinkType_LINK_TYPE_STAR {
		target = b.GetTargetProjectId()
		if _, refusal := s.knownProject(hash(target)); refusal != nil {
			return refusal
		}
	}
	set, refusal := s.links()
	if refusal != nil {
		return refusal
	}
	linkType, row := byte(b.GetLinkType()), &pb.LinkRow{Timestamp: s.timestamp()}
	if refusal := s.add(set, schema.LinkKey(s.Owner, linkType, target), row); refusal != nil {
		return refusal
	}
	s.rows.put(schema.LinkByTargetKey(linkType, target, s.Owner), row)
	s.touchLinkTarget(b.GetTargetOwnerAddress(), b.GetTargetProjectId())
	s.saveAccountSet(schema.CounterLinks, set)
	return nil
}

func (s *step) linkRemove(b *pb.LinkRemoveBody) *message.Refusal {
	set, refusal := s.links()
	if refusal != nil {
		return refusal
	}
	target := b.GetTargetOwnerAddress()
	if b.GetLinkType() == pb.LinkType_LINK_TYPE_STAR {
		target = b.GetTargetProjectId()
	}
	if refusal := s.remove(set, schema.LinkKey(s.Owner, byte(b.GetLinkType()), target)); refusal != nil {
		return refusal
	}
	s.touchLinkTarget(b.GetTargetOwnerAddress(), b.GetTargetProjectId())
	s.saveAccountSet(schema.CounterLinks, set)
	return nil
}

func (s *step) touchLinkTarget(owner, project []byte) {
	if len(owner) > 0 {
		s.touchAccount(address(owner))
	}
	if len(project) > 0 {
		s.touchProject(hash(project))
	}
}

func (s *step) links() (*memberSet, *message.Refusal) {
	return s.accountSet(schema.CounterLinks, schema.LinksPerUnit, func(key, _ []byte) {
		parsed, err := schema.ParseKey(key)
		s.rows.fail(err)
		s.rows.delete(schema.LinkByTargetKey(parsed.Tag, parsed.LinkTarget(), parsed.Owner))
	})
}

func (s *step) reactionAdd(b *pb.ReactionAddBody) *message.Refusal {
	project, commit := hash(b.GetTargetProjectId()), hash(b.GetTargetCommitHash())
	if _, refusal := s.knownProject(project); refusal != nil {
		return refusal
	}
	if refusal := s.needCommit(project, commit); refusal != nil {
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
	s.touchProject(project)
	s.saveAccountSet(schema.CounterReactions, set)
	return nil
}

func (s *step) reactionRemove(b *pb.ReactionRemoveBody) *message.Refusal {
	set, refusal := s.reactions()
	if refusal != nil {
		return refusal
	}
	project, commit := hash(b.GetTargetProjectId()), hash(b.GetTargetCommitHash())
	if refusal := s.remove(set, schema.ReactionKey(s.Owner, byte(b.GetReactionType()), project, commit)); refusal != nil {
		return refusal
	}
	s.touchProject(project)
	s.saveAccountSet(schema.CounterReactions, set)
	return nil
}

func (s *step) reactions() (*memberSet, *message.Refusal) {
	return s.accountSet(schema.CounterReactions, schema.ReactionsPerUnit, func(key, _ []byte) {
		parsed, err := schema.ParseKey(key)
		s.rows.fail(err)
		s.rows.delete(schema.ReactionByTargetKey(parsed.Tag, parsed.Project, parsed.ID, parsed.Owner))
	})
}

func (s *step) needCommit(project, commit ident.Hash) *message.Refusal {
	if !s.rows.has(schema.CommitKey(project, commit)) {
		return refuse(message.CodeUnknownCommit, "commit %s is not known in project %s", commit, project)
	}
	return nil
}
