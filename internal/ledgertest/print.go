package ledgertest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
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
		{schema.PrefixValidators, "validators", &pb.ValidatorsRow{}},
		{schema.PrefixClosedMergeRequest, "closed-merge-request", &pb.ClosedMergeRequestRow{}},
		{schema.PrefixContent, "content", &pb.ContentRow{}},
		{schema.PrefixSettlement, "settlement", &pb.SettlementRow{}},
		{schema.PrefixRules, "rules", &pb.RulesRow{}},
	}
}

// kindOf returns the kind of the row at a key.
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

// NewRow returns an empty value for the row at a key of the state root.
func NewRow(k *schema.Key) proto.Message { return kindOf(k).row }

// rowFilter selects the rows that a rows command prints.
type rowFilter struct {
	kind           string
	owner, project string   // by name; empty for all
	fields         []string // nil for all
}

func (s *scenario) readFilter(l *line) (rowFilter, error) {
	f := rowFilter{kind: l.word(), owner: l.text("owner", ""), fields: l.list("fields")}
	if l.has("project") {
		project := s.project(l, "project")
		f.project = s.bytesName(project[:])
	}
	return f, l.finish()
}

// rows prints rows in the order of their keys.
func (s *scenario) rows(l *line) (string, error) {
	filter, err := s.readFilter(l)
	if err != nil {
		return "", err
	}
	s.Commit()
	var out strings.Builder
	var failure error
	err = s.Rows.Scan(nil, nil, func(key, value []byte) bool {
		if schema.Prefix(key[0]).Merkleized() {
			failure = s.printRow(&out, filter, key, value)
		}
		return failure == nil
	})
	if err := errors.Join(err, failure); err != nil {
		return "", err
	}
	if out.Len() == 0 {
		return nothing + "\n", nil
	}
	return out.String(), nil
}

// printRow prints a row if the filter selects it.
func (s *scenario) printRow(out *strings.Builder, filter rowFilter, key, value []byte) error {
	k, err := schema.ParseKey(key)
	if err != nil {
		return err
	}
	kind, at := kindOf(&k), &k
	for at.Removed != nil {
		at = at.Removed
	}
	if kind.name != filter.kind || filter.owner != "" && s.bytesName(at.Owner[:]) != filter.owner ||
		filter.project != "" && s.bytesName(at.Project[:]) != filter.project {
		return nil
	}
	if err := schema.Decode(value, kind.row); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s:%s\n", s.keyText(&k), s.fieldsText(kind.row.ProtoReflect(), filter.fields))
	return nil
}

// keyText returns the fields of a key that are set.
func (s *scenario) keyText(k *schema.Key) string {
	if k.Removed != nil {
		return kindOf(k.Removed).name + " " + s.keyText(k.Removed)
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
		switch schema.Counter(tag) {
		case c.Tombstones():
			return name[c] + " removed"
		case c.Markers():
			return name[c] + " pruned"
		}
	}
	return name[schema.Counter(tag)]
}

// fieldsText returns the fields of a row that are set, all or the wanted ones, in schema order.
func (s *scenario) fieldsText(row protoreflect.Message, wanted []string) string {
	var out strings.Builder
	fields := row.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if !row.Has(f) || wanted != nil && !slices.Contains(wanted, string(f.Name())) {
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

// bytesName returns the name of an identifier, or other bytes as text if they are printable.
func (s *scenario) bytesName(b []byte) string {
	digits := hex.EncodeToString(b)
	if name, ok := s.text[digits]; ok {
		return name
	}
	if len(b) >= ident.AddressSize {
		return s.name(digits)
	}
	if isText := !strings.ContainsFunc(string(b), func(r rune) bool { return r <= ' ' || r > '~' }); isText {
		return string(b)
	}
	return "0x" + digits
}
