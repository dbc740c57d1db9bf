package ledgertest

import (
	"encoding/hex"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// kind is a kind of row: its name in scenarios and an empty value.
type kind struct {
	prefix schema.Prefix
	name   string
	row    proto.Message
}

func kinds() []kind {
	return []kind{
		{schema.PrefixTombstone, "tombstone", &pb.TombstoneRow{}},
		{schema.PrefixAccount, "account", &pb.AccountRow{}},
		{schema.PrefixAccountMetadata, "account-metadata", &pb.AccountMetadataRow{}},
		{schema.PrefixKey, "key", &pb.DelegatedKeyRow{}},
		{schema.PrefixKeyOwner, "key-owner", &pb.KeyOwnerRow{}},
		{schema.PrefixUsername, "username", &pb.UsernameRow{}},
		{schema.PrefixVerification, "verification", &pb.VerificationRow{}},
		{schema.PrefixProject, "project", &pb.ProjectRow{}},
		{schema.PrefixProjectMetadata, "project-metadata", &pb.ProjectMetadataRow{}},
		{schema.PrefixProjectName, "project-name", &pb.ProjectNameRow{}},
		{schema.PrefixRef, "ref", &pb.RefRow{}},
		{schema.PrefixCommit, "commit", &pb.CommitRow{}},
		{schema.PrefixCollaborator, "collaborator", &pb.CollaboratorRow{}},
		{schema.PrefixLink, "link", &pb.LinkRow{}},
		{schema.PrefixLinkByTarget, "link-by-target", &pb.LinkRow{}},
		{schema.PrefixReaction, "reaction", &pb.ReactionRow{}},
		{schema.PrefixReactionByTarget, "reaction-by-target", &pb.ReactionRow{}},
		{schema.PrefixCounter, "counter", &pb.CounterRow{}},
		{schema.PrefixPruneMarker, "prune-marker", &pb.PruneMarkerRow{}},
		{schema.PrefixStorageGrant, "storage-grant", &pb.StorageGrantRow{}},
		{schema.PrefixClaim, "claim", &pb.ClaimRow{}},
		{schema.PrefixForkParent, "fork-parent", &pb.ForkParentRow{}},
		{schema.PrefixMergeRequest, "merge-request", &pb.MergeRequestRow{}},
		{schema.PrefixMergeRequestByRequester, "merge-request-by-requester", &pb.MergeRequestByRequesterRow{}},
	}
}

// kindOf finds the kind of the row at a key.
func kindOf(k *schema.Key) kind {
	if k.Prefix == schema.PrefixKey && k.Tag == schema.FamilyCustody {
		return kind{schema.PrefixKey, "custody-key", &pb.CustodyKeyRow{}}
	}
	for _, kind := range kinds() {
		if kind.prefix == k.Prefix {
			return kind
		}
	}
	return kind{}
}

// NewRow makes an empty value for the row at a key of the state root.
func NewRow(k *schema.Key) proto.Message { return kindOf(k).row }

// rows prints the rows of a kind, all or those of an owner, a project or a name.
func (s *scenario) rows(l *line) (string, error) {
	wanted := l.word()
	var owner, project *string
	if l.has("owner") {
		name := s.actor(l.need("owner")).Name
		owner = &name
	}
	if l.has("project") {
		name := s.describe(s.project(l, "project").String())
		project = &name
	}
	if err := l.finish(); err != nil {
		return "", err
	}
	s.Commit()
	var out strings.Builder
	var failure error
	err := s.Rows.Scan(nil, nil, func(key, value []byte) bool {
		if !schema.Prefix(key[0]).Merkleized() {
			return true
		}
		var text string
		if text, failure = s.describeRow(wanted, owner, project, key, value); text != "" {
			fmt.Fprintln(&out, text)
		}
		return failure == nil
	})
	if err != nil || failure != nil {
		return "", fmt.Errorf("rows: %w %w", err, failure)
	}
	if out.Len() == 0 {
		return "none\n", nil
	}
	return out.String(), nil
}

// describeRow prints a row, or nothing when it is not asked for.
func (s *scenario) describeRow(wanted string, owner, project *string, key, value []byte) (string, error) {
	k, err := schema.ParseKey(key)
	if err != nil {
		return "", err
	}
	kind := kindOf(&k)
	at := &k
	for at.Buried != nil {
		at = at.Buried
	}
	if kind.name != wanted || owner != nil && s.bytesName(at.Owner[:]) != *owner || project != nil && s.bytesName(at.Project[:]) != *project {
		return "", nil
	}
	row := kind.row
	if err := schema.Decode(value, row); err != nil {
		return "", err
	}
	return s.keyText(&k) + ":" + s.fieldsText(row.ProtoReflect()), nil
}

// keyText prints the fields of a key that are set.
func (s *scenario) keyText(k *schema.Key) string {
	if k.Buried != nil {
		return kindOf(k.Buried).name + " " + s.keyText(k.Buried)
	}
	var parts []string
	add := func(b []byte) {
		if strings.Trim(string(b), "\x00") != "" {
			parts = append(parts, s.bytesName(b))
		}
	}
	add(k.Owner[:])
	add(k.Project[:])
	add(k.ID[:])
	add(k.PublicKey[:])
	add(k.KeyID[:])
	add(k.Target[:])
	switch k.Prefix {
	case schema.PrefixAccountMetadata:
		parts = append(parts, strings.TrimPrefix(pb.AccountDataType(k.Tag).String(), "ACCOUNT_DATA_"))
	case schema.PrefixProjectMetadata:
		parts = append(parts, strings.TrimPrefix(pb.ProjectMetadataType(k.Tag).String(), "PROJECT_METADATA_"))
	case schema.PrefixCounter:
		parts = append(parts, counterName(k.Tag))
	case schema.PrefixVerification:
		parts = append(parts, s.bytesName(k.Name))
	case schema.PrefixStorageGrant:
		parts = append(parts, "until "+formatTime(uint64(k.ExpiresAt)))
	default:
		if len(k.Name) > 0 {
			parts = append(parts, string(k.Name))
		}
	}
	return strings.Join(parts, " ")
}

func counterName(tag byte) string {
	name := map[schema.Counter]string{
		schema.CounterLinks: "links", schema.CounterReactions: "reactions", schema.CounterVerifications: "verifications",
	}
	for _, c := range []schema.Counter{schema.CounterLinks, schema.CounterReactions, schema.CounterVerifications} {
		if schema.Counter(tag) == c.Tombstones() {
			return name[c] + " removed"
		}
	}
	return name[schema.Counter(tag)]
}

// fieldsText prints the fields of a row that are set, in their order.
func (s *scenario) fieldsText(row protoreflect.Message) string {
	var out strings.Builder
	fields := row.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if !row.Has(f) {
			continue
		}
		fmt.Fprintf(&out, " %s=", f.Name())
		if f.IsList() {
			list := row.Get(f).List()
			for j := range list.Len() {
				fmt.Fprintf(&out, "%s%s", map[bool]string{true: ",", false: ""}[j > 0], s.bytesName(list.Get(j).Bytes()))
			}
			continue
		}
		out.WriteString(s.valueText(f, row.Get(f)))
	}
	return out.String()
}

func (s *scenario) valueText(f protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch f.Kind() {
	case protoreflect.BytesKind:
		return s.bytesName(v.Bytes())
	case protoreflect.EnumKind:
		return string(f.Enum().Values().ByNumber(v.Enum()).Name())
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind:
		return s.describe(v.String())
	default:
		return v.String()
	}
}

// bytesName prints an identifier by its name, and anything else that is short as text.
func (s *scenario) bytesName(b []byte) string {
	if name, ok := s.text[hex.EncodeToString(b)]; ok {
		return name
	}
	if len(b) < ident.AddressSize {
		return strings.ToValidUTF8(string(b), "?")
	}
	return s.name(hex.EncodeToString(b))
}
