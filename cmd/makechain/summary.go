package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/jsonform"
	"makechain/internal/term"
)

// typeWord names a type of message as JSON does.
func typeWord(t pb.MessageType) string { return word(t, "MESSAGE_TYPE_") }

// fullID is an id that is not cut.
func fullID(id []byte) string { return hex.EncodeToString(id) }

// bodyOf is the message inside a message's data.
func bodyOf(data *pb.MessageData) proto.Message {
	set := data.ProtoReflect().WhichOneof(data.ProtoReflect().Descriptor().Oneofs().ByName("body"))
	if set == nil {
		return &pb.MessageData{}
	}
	return data.ProtoReflect().Get(set).Message().Interface()
}

// describeBody says in a few words what a message does, after the name of whose it is.
func describeBody(ctx context.Context, p *term.Printer, l *labels, data *pb.MessageData) string {
	switch body := bodyOf(data).(type) {
	case *pb.CommitBundleBody:
		last := body.GetCommits()[len(body.GetCommits())-1]
		count := term.Count(uint64(len(body.GetCommits())), "commit")
		return fmt.Sprintf("brought %s to %s: %s", count, l.project(ctx, body.GetProjectId()), term.Text(last.GetTitle()))
	case *pb.RefUpdateBody:
		verb := "moved"
		if body.GetForce() {
			verb = "forced"
		}
		return fmt.Sprintf("%s %s@%s to %s", verb, l.project(ctx, body.GetProjectId()), refLabel(body.GetRefName()), p.ID(body.GetNewHash()))
	case *pb.RefDeleteBody:
		return fmt.Sprintf("deleted %s@%s", l.project(ctx, body.GetProjectId()), refLabel(body.GetRefName()))
	case *pb.MergeRequestAddBody:
		return fmt.Sprintf("asks %s to merge %s: %s", l.project(ctx, body.GetProjectId()), refLabel(body.GetSourceRef()), term.Text(body.GetTitle()))
	case *pb.MergeRequestRemoveBody:
		return fmt.Sprintf("closed merge request %s of %s", p.ID(body.GetRequestId()), l.project(ctx, body.GetProjectId()))
	case *pb.CollaboratorAddBody:
		permission := word(body.GetPermission(), "PERMISSION_")
		return fmt.Sprintf("gave %s %s permission on %s", l.account(ctx, body.GetTargetOwnerAddress()), permission, l.project(ctx, body.GetProjectId()))
	case *pb.CollaboratorRemoveBody:
		return fmt.Sprintf("removed %s from %s", l.account(ctx, body.GetTargetOwnerAddress()), l.project(ctx, body.GetProjectId()))
	case *pb.ReactionAddBody:
		return fmt.Sprintf("likes %s of %s", p.ID(body.GetTargetCommitHash()), l.project(ctx, body.GetTargetProjectId()))
	case *pb.ReactionRemoveBody:
		return fmt.Sprintf("no longer likes %s of %s", p.ID(body.GetTargetCommitHash()), l.project(ctx, body.GetTargetProjectId()))
	case *pb.LinkAddBody:
		return linkVerb(body.GetLinkType(), "follows", "starred") + " " + linkTarget(ctx, l, body)
	case *pb.LinkRemoveBody:
		return linkVerb(body.GetLinkType(), "unfollowed", "unstarred") + " " + linkTarget(ctx, l, body)
	default:
		return describeOwn(ctx, p, l, body)
	}
}

// describeOwn goes on with projects as such, and with the account itself.
func describeOwn(ctx context.Context, p *term.Printer, l *labels, body proto.Message) string {
	switch body := body.(type) {
	case *pb.ProjectCreateBody:
		return "created project " + term.Text(body.GetName())
	case *pb.ForkBody:
		return fmt.Sprintf("forked %s as %s", l.project(ctx, body.GetSourceProjectId()), term.Text(body.GetName()))
	case *pb.ProjectMetadataBody:
		field := word(body.GetField(), "PROJECT_METADATA_")
		return fmt.Sprintf("set %s of %s to %s", field, l.project(ctx, body.GetProjectId()), term.Text(body.GetValue()))
	case *pb.ProjectArchiveBody:
		return "archived " + l.project(ctx, body.GetProjectId())
	case *pb.ProjectRemoveBody:
		return "removed project " + p.ID(body.GetProjectId())
	case *pb.AccountDataBody:
		return fmt.Sprintf("set %s to %s", word(body.GetField(), "ACCOUNT_DATA_"), term.Text(body.GetValue()))
	case *pb.UsernameCreateBody:
		return "took the username " + term.Text(body.GetUsername())
	case *pb.UsernameUpdateBody:
		return "changed the username to " + term.Text(body.GetUsername())
	case *pb.StorageClaimBody:
		return "claimed " + term.Count(uint64(body.GetUnits()), "unit") + " of storage"
	case *pb.VerificationAddBody:
		return "verified " + outsideAddress(body.GetAddress()).String()
	case *pb.VerificationRemoveBody:
		return "gave up " + outsideAddress(body.GetAddress()).String()
	case *pb.SignerAddBody:
		return fmt.Sprintf("added %s key %s", word(pb.KeyScope(body.GetScope()), "KEY_SCOPE_"), p.ID(body.GetKey()))
	case *pb.SignerRemoveBody:
		return "removed key " + p.ID(body.GetKey())
	case *pb.KeychainAuthorizeBody:
		return "authorized custody key " + p.Address(body.GetKeyId())
	case *pb.KeychainRevokeBody:
		return "revoked custody key " + p.Address(body.GetKeyId())
	default:
		return "sent " + string(body.ProtoReflect().Descriptor().Name())
	}
}

func linkVerb(t pb.LinkType, follow, star string) string {
	if t == pb.LinkType_LINK_TYPE_STAR {
		return star
	}
	return follow
}

// linkTarget names what a link leads to.
func linkTarget(ctx context.Context, l *labels, link interface {
	GetTargetProjectId() []byte
	GetTargetOwnerAddress() []byte
},
) string {
	if project := link.GetTargetProjectId(); len(project) > 0 {
		return l.project(ctx, project)
	}
	return l.account(ctx, link.GetTargetOwnerAddress())
}

// fieldFacts are the fields of a message of the schema that are set, by the names and in the forms of the JSON.
func fieldFacts(m proto.Message) []term.Fact {
	encoded, err := jsonform.Marshal(m)
	if err != nil {
		return []term.Fact{{Label: "fields", Value: err.Error()}}
	}
	return jsonFacts(encoded)
}

// jsonFacts are the keys of an object with their values, in their order. What is absent or zero is left out, and
// lists are counted.
func jsonFacts(object []byte) []term.Fact {
	var facts []term.Fact
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	if _, err := decoder.Token(); err != nil { // the brace
		return nil
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return facts
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return facts
		}
		label := strings.ReplaceAll(fmt.Sprint(key), "_", " ")
		if list, isList := value.([]any); isList {
			value = len(list)
		}
		if text := fmt.Sprint(value); value != nil && text != "0" && value != false {
			facts = append(facts, term.Fact{Label: label, Value: term.Text(text)})
		}
	}
	return facts
}
