package rest

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	pb "makechain/gen/makechain"
)

// linkType is the word for a kind of link.
type linkType string

const (
	linkTypePrefix    = "LINK_TYPE_"
	listLinksByTarget = "ListLinksByTarget" // the call behind three routes
)

// Schema lists the words.
func (linkType) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: enumWords(pb.LinkType_name, linkTypePrefix)}
}

func (t linkType) value() pb.LinkType {
	return pb.LinkType(pb.LinkType_value[linkTypePrefix+strings.ToUpper(string(t))])
}

type linksInput struct {
	OfAccount
	Page

	Type linkType `doc:"Only links of this kind." query:"link_type"`
}

type linksByTargetInput struct {
	Page

	Type    linkType     `doc:"follow for accounts, star for projects." query:"link_type"            required:"true"`
	Owner   addressParam `doc:"The account that is followed."           query:"target_owner_address"`
	Project idParam      `doc:"The project that is starred."            query:"target_project_id"`
}

// Resolve wants exactly the target that the kind of link has.
func (in *linksByTargetInput) Resolve(huma.Context) []error {
	wants, other := &in.Owner.bytes, &in.Project.bytes
	names := []string{"target_owner_address", "target_project_id"}
	if in.Type.value() == pb.LinkType_LINK_TYPE_STAR {
		wants, other = other, wants
		names[0], names[1] = names[1], names[0]
	}
	var faults []error
	if *wants == nil {
		faults = append(faults, &huma.ErrorDetail{Location: "query." + names[0], Message: "required for links of this kind"})
	}
	if *other != nil {
		faults = append(faults, &huma.ErrorDetail{Location: "query." + names[1], Message: "not a target of links of this kind"})
	}
	return faults
}

type reactionsInput struct {
	OfAccount
	Page

	Type    string  `doc:"Only reactions of this kind."    enum:"like"               query:"reaction_type"`
	Project idParam `doc:"Only reactions in this project." query:"target_project_id"`
}

func (g *Gateway) registerLinks() {
	get(g, endpoint{
		id: "list-links", path: "/v1/accounts/{ownerAddress}/links", rpcs: []string{"ListLinks"}, tag: tagLinks,
		summary: "Whom an account follows and what it stars",
	}, g.upstream.ListLinks, func(in *linksInput) *pb.ListLinksRequest {
		return &pb.ListLinksRequest{OwnerAddress: in.Owner.bytes, LinkType: in.Type.value(), Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "list-followers", path: "/v1/accounts/{ownerAddress}/followers", rpcs: []string{listLinksByTarget}, tag: tagLinks,
		summary: "Who follows an account",
	}, g.upstream.ListLinksByTarget, func(in *accountListInput) *pb.ListLinksByTargetRequest {
		return &pb.ListLinksByTargetRequest{
			LinkType: pb.LinkType_LINK_TYPE_FOLLOW, TargetOwnerAddress: in.Owner.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes,
		}
	})

	get(g, endpoint{
		id: "list-links-by-target", path: "/v1/links", rpcs: []string{listLinksByTarget}, tag: tagLinks,
		summary: "Who follows an account or has starred a project", errors: mayBeAbsent(),
	}, g.upstream.ListLinksByTarget, func(in *linksByTargetInput) *pb.ListLinksByTargetRequest {
		request := &pb.ListLinksByTargetRequest{
			LinkType: in.Type.value(), TargetOwnerAddress: in.Owner.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes,
		}
		if in.Project.bytes != nil {
			request.Target = &pb.ListLinksByTargetRequest_TargetProjectId{TargetProjectId: in.Project.bytes}
		}
		return request
	})

	get(g, endpoint{
		id: "list-reactions", path: "/v1/accounts/{ownerAddress}/reactions", rpcs: []string{"ListReactions"}, tag: tagLinks,
		summary: "What an account likes",
	}, g.upstream.ListReactions, func(in *reactionsInput) *pb.ListReactionsRequest {
		return &pb.ListReactionsRequest{
			OwnerAddress: in.Owner.bytes, ReactionType: pb.ReactionType_REACTION_TYPE_LIKE, TargetProjectId: in.Project.bytes,
			Limit: in.Limit, Cursor: in.Cursor.bytes,
		}
	})
}
