package rest

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	pb "makechain/gen/makechain"
)

// linkType is the name of a type of link.
type linkType string

const (
	linkTypePrefix    = "LINK_TYPE_"
	listLinksByTarget = "ListLinksByTarget" // the method that three routes call
)

// Schema returns the schema of a type of link.
func (linkType) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: enumNames(pb.LinkType_name, linkTypePrefix)}
}

func (t linkType) value() pb.LinkType {
	return pb.LinkType(pb.LinkType_value[linkTypePrefix+strings.ToUpper(string(t))])
}

type linksInput struct {
	AccountPath
	PageQuery

	Type linkType `doc:"Only links of this type." query:"link_type"`
}

type linksByTargetInput struct {
	PageQuery

	Type    linkType     `doc:"follow for accounts, star for projects." query:"link_type"            required:"true"`
	Owner   addressParam `doc:"The account that is followed."           query:"target_owner_address"`
	Project idParam      `doc:"The project that is starred."            query:"target_project_id"`
}

// Resolve checks that the request has exactly the target that the type of link requires.
func (in *linksByTargetInput) Resolve(huma.Context) []error {
	required, other := in.Owner.bytes, in.Project.bytes
	names := []string{"target_owner_address", "target_project_id"}
	if in.Type.value() == pb.LinkType_LINK_TYPE_STAR {
		required, other = other, required
		names[0], names[1] = names[1], names[0]
	}
	var errs []error
	if required == nil {
		errs = append(errs, &huma.ErrorDetail{Location: "query." + names[0], Message: "required for links of this type"})
	}
	if other != nil {
		errs = append(errs, &huma.ErrorDetail{Location: "query." + names[1], Message: "not a target of links of this type"})
	}
	return errs
}

type reactionsInput struct {
	AccountPath
	PageQuery

	Type    string  `doc:"Only reactions of this type."    enum:"like"               query:"reaction_type"`
	Project idParam `doc:"Only reactions in this project." query:"target_project_id"`
}

func (g *Gateway) registerLinks() {
	get(g, endpoint{
		id: "list-links", path: "/v1/accounts/{ownerAddress}/links", rpcs: []string{"ListLinks"}, tag: tagLinks,
		summary: "List the follows and stars of an account",
	}, g.service.ListLinks, func(in *linksInput) *pb.ListLinksRequest {
		return &pb.ListLinksRequest{OwnerAddress: in.Owner.bytes, LinkType: in.Type.value(), Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "list-followers", path: "/v1/accounts/{ownerAddress}/followers", rpcs: []string{listLinksByTarget}, tag: tagLinks,
		summary: "List the followers of an account",
	}, g.service.ListLinksByTarget, func(in *accountListInput) *pb.ListLinksByTargetRequest {
		return &pb.ListLinksByTargetRequest{
			LinkType: pb.LinkType_LINK_TYPE_FOLLOW, TargetOwnerAddress: in.Owner.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes,
		}
	})

	get(g, endpoint{
		id: "list-links-by-target", path: "/v1/links", rpcs: []string{listLinksByTarget}, tag: tagLinks,
		summary: "List the followers of an account or the stars of a project", errors: notFound(),
	}, g.service.ListLinksByTarget, func(in *linksByTargetInput) *pb.ListLinksByTargetRequest {
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
		summary: "List the likes of an account",
	}, g.service.ListReactions, func(in *reactionsInput) *pb.ListReactionsRequest {
		return &pb.ListReactionsRequest{
			OwnerAddress: in.Owner.bytes, ReactionType: pb.ReactionType_REACTION_TYPE_LIKE, TargetProjectId: in.Project.bytes,
			Limit: in.Limit, Cursor: in.Cursor.bytes,
		}
	})
}
