package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/external"
	"makechain/internal/jsonform"
	"makechain/internal/term"
)

// Body returns the body of a message.
func Body(data *pb.MessageData) proto.Message {
	set := data.ProtoReflect().WhichOneof(data.ProtoReflect().Descriptor().Oneofs().ByName("body"))
	if set == nil {
		return &pb.MessageData{}
	}
	return data.ProtoReflect().Get(set).Message().Interface()
}

// Summary describes the effect of a message in a few words, to follow the name of its account.
func (p *Printer) Summary(data *pb.MessageData) string {
	switch body := Body(data).(type) {
	case *pb.CommitBundleBody:
		last := body.GetCommits()[len(body.GetCommits())-1]
		count := term.Count(uint64(len(body.GetCommits())), "commit")
		return fmt.Sprintf("pushed %s to %s: %s", count, p.Project(body.GetProjectId()), term.Text(last.GetTitle()))
	case *pb.RefUpdateBody:
		verb := "updated"
		if body.GetForce() {
			verb = "force-updated"
		}
		return fmt.Sprintf("%s %s@%s to %s", verb, p.Project(body.GetProjectId()), Ref(body.GetRefName()), p.ID(body.GetNewHash()))
	case *pb.RefDeleteBody:
		return fmt.Sprintf("deleted %s@%s", p.Project(body.GetProjectId()), Ref(body.GetRefName()))
	case *pb.MergeRequestAddBody:
		return fmt.Sprintf("opened a merge request against %s from %s: %s",
			p.Project(body.GetProjectId()), Ref(body.GetSourceRef()), term.Text(body.GetTitle()))
	case *pb.MergeRequestRemoveBody:
		return fmt.Sprintf("closed merge request %s of %s", p.ID(body.GetRequestId()), p.Project(body.GetProjectId()))
	case *pb.CollaboratorAddBody:
		permission := Enum(body.GetPermission(), "PERMISSION_")
		return fmt.Sprintf("gave %s %s permission on %s", p.Account(body.GetTargetOwnerAddress()), permission, p.Project(body.GetProjectId()))
	case *pb.CollaboratorRemoveBody:
		return fmt.Sprintf("removed %s from %s", p.Account(body.GetTargetOwnerAddress()), p.Project(body.GetProjectId()))
	case *pb.ReactionAddBody:
		return fmt.Sprintf("liked %s of %s", p.ID(body.GetTargetCommitHash()), p.Project(body.GetTargetProjectId()))
	case *pb.ReactionRemoveBody:
		return fmt.Sprintf("unliked %s of %s", p.ID(body.GetTargetCommitHash()), p.Project(body.GetTargetProjectId()))
	case *pb.LinkAddBody:
		return linkVerb(body.GetLinkType(), "followed", "starred") + " " + p.linkTarget(body)
	case *pb.LinkRemoveBody:
		return linkVerb(body.GetLinkType(), "unfollowed", "unstarred") + " " + p.linkTarget(body)
	default:
		return p.summarizeOther(body)
	}
}

// summarizeOther continues Summary with messages about a whole project or about the account itself.
func (p *Printer) summarizeOther(body proto.Message) string {
	switch body := body.(type) {
	case *pb.ProjectCreateBody:
		return "created project " + term.Text(body.GetName())
	case *pb.ForkBody:
		return fmt.Sprintf("forked %s as %s", p.Project(body.GetSourceProjectId()), term.Text(body.GetName()))
	case *pb.ProjectMetadataBody:
		field := Enum(body.GetField(), "PROJECT_METADATA_")
		return fmt.Sprintf("set %s of %s to %s", field, p.Project(body.GetProjectId()), term.Text(body.GetValue()))
	case *pb.ProjectArchiveBody:
		return "archived " + p.Project(body.GetProjectId())
	case *pb.ProjectRemoveBody:
		return "removed project " + p.ID(body.GetProjectId())
	case *pb.AccountDataBody:
		return fmt.Sprintf("set %s to %s", Enum(body.GetField(), "ACCOUNT_DATA_"), term.Text(body.GetValue()))
	case *pb.UsernameCreateBody:
		return "set the username to " + term.Text(body.GetUsername())
	case *pb.UsernameUpdateBody:
		return "changed the username to " + term.Text(body.GetUsername())
	case *pb.StorageClaimBody:
		return "claimed " + term.Count(uint64(body.GetUnits()), "unit") + " of storage"
	case *pb.VerificationAddBody:
		return "verified " + external.Address(body.GetAddress()).String()
	case *pb.VerificationRemoveBody:
		return "removed verified address " + external.Address(body.GetAddress()).String()
	case *pb.SignerAddBody:
		return fmt.Sprintf("added %s key %s", Enum(pb.KeyScope(body.GetScope()), "KEY_SCOPE_"), p.ID(body.GetKey()))
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

// linkTarget returns the name of the project or account that a link points to.
func (p *Printer) linkTarget(link interface {
	GetTargetProjectId() []byte
	GetTargetOwnerAddress() []byte
},
) string {
	if project := link.GetTargetProjectId(); len(project) > 0 {
		return p.Project(project)
	}
	return p.Account(link.GetTargetOwnerAddress())
}

// Fields returns the fields of a protobuf message that are set, with the names and values of the JSON form. Lists are
// counted.
func Fields(m proto.Message) []term.Fact {
	encoded, err := jsonform.Marshal(m)
	if err != nil {
		return []term.Fact{{Label: "fields", Value: err.Error()}}
	}
	var facts []term.Fact
	decoder := json.NewDecoder(bytes.NewReader(encoded))
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
