package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// linkType checks the type of the links to list. If all is set, NONE means links of all types.
func linkType(t pb.LinkType, all bool) (byte, error) {
	if t == pb.LinkType_LINK_TYPE_NONE && !all || pb.LinkType_name[int32(t)] == "" {
		return 0, invalid("link_type", "%d is not a link type", t)
	}
	return byte(t), nil
}

// ListLinks lists the accounts that an account follows and the projects it stars.
func (s *Service) ListLinks(ctx context.Context, req *connect.Request[pb.ListLinksRequest]) (*connect.Response[pb.ListLinksResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	kind, err := linkType(req.Msg.GetLinkType(), true)
	if err != nil {
		return nil, err
	}
	prefix := schema.LinkPrefix(owner)
	if kind != 0 {
		prefix = schema.LinkKey(owner, kind, nil)
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListLinksResponse], error) {
		links, next, err := readPage(snapshot, newListID("ListLinks", owner[:], []byte{kind}), prefix, req.Msg, readLink)
		return connect.NewResponse(&pb.ListLinksResponse{Links: links, NextCursor: next}), err
	})
}

// ListLinksByTarget lists the accounts that follow an account or star a project.
func (s *Service) ListLinksByTarget(ctx context.Context, req *connect.Request[pb.ListLinksByTargetRequest]) (*connect.Response[pb.ListLinksByTargetResponse], error) {
	kind, err := linkType(req.Msg.GetLinkType(), false)
	if err != nil {
		return nil, err
	}
	target, err := linkTarget(req.Msg)
	if err != nil {
		return nil, err
	}
	prefix := schema.LinkByTargetPrefix(kind, target)
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListLinksByTargetResponse], error) {
		if req.Msg.GetLinkType() == pb.LinkType_LINK_TYPE_STAR {
			if _, _, err := existingProject(snapshot, "target_project_id", target); err != nil {
				return nil, err
			}
		}
		links, next, err := readPage(snapshot, newListID("ListLinksByTarget", prefix), prefix, req.Msg, readLink)
		return connect.NewResponse(&pb.ListLinksByTargetResponse{Links: links, NextCursor: next}), err
	})
}

func linkTarget(req *pb.ListLinksByTargetRequest) ([]byte, error) {
	if req.GetLinkType() == pb.LinkType_LINK_TYPE_FOLLOW {
		if len(req.GetTargetProjectId()) > 0 {
			return nil, invalid("target_project_id", "only accounts can be followed")
		}
		owner, err := addressField("target_owner_address", req.GetTargetOwnerAddress())
		return owner[:], err
	}
	if len(req.GetTargetOwnerAddress()) > 0 {
		return nil, invalid("target_owner_address", "only projects can be starred")
	}
	project, err := hashField("target_project_id", req.GetTargetProjectId())
	return project[:], err
}

// readLink reads a link from either of its rows.
func readLink(key *schema.Key, row *pb.LinkRow) (*pb.LinkEntry, error) {
	link := &pb.LinkEntry{LinkType: pb.LinkType(key.Tag), AddedAt: row.GetTimestamp(), SourceOwnerAddress: key.Owner[:]}
	if link.GetLinkType() == pb.LinkType_LINK_TYPE_STAR {
		link.TargetProjectId = key.Project[:]
	} else {
		link.TargetOwnerAddress = key.Target[:]
	}
	return link, nil
}

func reactionType(t pb.ReactionType) (byte, error) {
	if pb.ReactionType_name[int32(t)] == "" {
		return 0, invalid("reaction_type", "%d is not a reaction type", t)
	}
	// There is one type, so that no type means that one.
	return byte(max(t, pb.ReactionType_REACTION_TYPE_LIKE)), nil
}

// ListReactions lists the commits that an account likes, in all projects or in one.
func (s *Service) ListReactions(ctx context.Context, req *connect.Request[pb.ListReactionsRequest]) (*connect.Response[pb.ListReactionsResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	kind, err := reactionType(req.Msg.GetReactionType())
	if err != nil {
		return nil, err
	}
	prefix := schema.ReactionPrefix(owner, kind)
	if len(req.Msg.GetTargetProjectId()) > 0 {
		project, err := hashField("target_project_id", req.Msg.GetTargetProjectId())
		if err != nil {
			return nil, err
		}
		prefix = append(prefix, project[:]...)
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListReactionsResponse], error) {
		reactions, next, err := readPage(snapshot, newListID("ListReactions", prefix), prefix, req.Msg, readReaction)
		return connect.NewResponse(&pb.ListReactionsResponse{Reactions: reactions, NextCursor: next}), err
	})
}

// ListReactionsByTarget lists the accounts that like a commit, which may have been pruned.
func (s *Service) ListReactionsByTarget(ctx context.Context, req *connect.Request[pb.ListReactionsByTargetRequest]) (*connect.Response[pb.ListReactionsByTargetResponse], error) {
	kind, err := reactionType(req.Msg.GetReactionType())
	if err != nil {
		return nil, err
	}
	commit, err := hashField("target_commit_hash", req.Msg.GetTargetCommitHash())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListReactionsByTargetResponse], error) {
		project, _, err := existingProject(snapshot, "target_project_id", req.Msg.GetTargetProjectId())
		if err != nil {
			return nil, err
		}
		prefix := schema.ReactionByTargetPrefix(kind, project, commit)
		reactions, next, err := readPage(snapshot, newListID("ListReactionsByTarget", prefix), prefix, req.Msg, readReaction)
		return connect.NewResponse(&pb.ListReactionsByTargetResponse{Reactions: reactions, NextCursor: next}), err
	})
}

// readReaction reads a reaction from either of its rows.
func readReaction(key *schema.Key, row *pb.ReactionRow) (*pb.ReactionEntry, error) {
	return &pb.ReactionEntry{
		ReactionType: pb.ReactionType(key.Tag), TargetProjectId: key.Project[:], TargetCommitHash: key.ID[:],
		AddedAt: row.GetTimestamp(), SourceOwnerAddress: key.Owner[:],
	}, nil
}
