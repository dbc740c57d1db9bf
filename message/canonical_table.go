package message

import (
	"fmt"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
)

// wireKind is the encoding of a field's value.
type wireKind uint8

const (
	noField wireKind = iota // no field of this number exists
	uint32Kind
	uint64Kind
	enumKind
	boolKind
	bytesKind
	stringKind
	messageKind
)

// wireType returns the wire type in the tag of a field of this kind.
func (k wireKind) wireType() uint64 {
	if k >= bytesKind {
		return lengthWireType
	}
	return varintWireType
}

// wireField holds the properties of a field that the canonical check needs.
type wireField struct {
	name     string
	kind     wireKind
	repeated bool
	// maxElements is the maximum length of a repeated field.
	maxElements int
	// presence is true when an explicit default value differs from an omitted field.
	presence bool
	// oneof has one bit set for the field's oneof, and is 0 for a field outside of oneofs.
	oneof   uint8
	message *wireMessage // for messageKind
}

// wireMessage holds the fields of a message type, by number.
type wireMessage struct {
	name   string
	fields []wireField
}

// dataTable returns the table of MessageData, with lists of any length. read-only: computed once from the schema.
var dataTable = sync.OnceValue(func() *wireMessage {
	return tableOf((&pb.MessageData{}).ProtoReflect().Descriptor(), func(protoreflect.FullName) int { return MaxSize }, maxNesting)
})

// boundedTable returns the table of MessageData with the maximum lengths of lists. It is for data that is not decoded yet:
// a list of empty elements takes a hundred times the memory of its encoding. read-only: computed once from the schema.
var boundedTable = sync.OnceValue(func() *wireMessage {
	return tableOf((&pb.MessageData{}).ProtoReflect().Descriptor(), MaxElements, maxNesting)
})

// maxNesting is the maximum nesting depth of messages, counted from MessageData. The schema stays within it, so it
// holds for every input and decoding does not have to count.
const maxNesting = 3

// tableOf returns the table of a message type, from its descriptor.
func tableOf(message protoreflect.MessageDescriptor, maxElements func(list protoreflect.FullName) int, depth int) *wireMessage {
	invariant(depth > 0, "message %s is nested deeper than %d", message.FullName(), maxNesting)
	list := message.Fields()
	table := &wireMessage{name: string(message.Name())}
	for i := range list.Len() {
		field := list.Get(i)
		number := int(field.Number())
		for len(table.fields) <= number {
			table.fields = append(table.fields, wireField{})
		}
		table.fields[number] = fieldOf(field, maxElements, depth)
	}
	return table
}

func fieldOf(field protoreflect.FieldDescriptor, maxElements func(list protoreflect.FullName) int, depth int) wireField {
	f := wireField{
		name:     string(field.Name()),
		kind:     kindOf(field),
		repeated: field.IsList(),
		presence: field.HasPresence() || field.IsList(),
	}
	if f.repeated {
		invariant(f.kind.wireType() == lengthWireType, "field %s is packed", field.FullName())
		f.maxElements = maxElements(field.FullName())
		invariant(f.maxElements > 0, "field %s has no maximum length", field.FullName())
	}
	if f.kind == messageKind {
		f.message = tableOf(field.Message(), maxElements, depth-1)
	}
	if oneof := field.ContainingOneof(); oneof != nil {
		invariant(oneof.Index() < 8, "message %s has more than 8 oneofs", oneof.Parent().FullName())
		f.oneof = 1 << oneof.Index()
	}
	return f
}

// MaxElements returns the maximum number of elements of a repeated field of messages (P5), and 0 for other fields.
func MaxElements(field protoreflect.FullName) int {
	switch field {
	case "makechain.CommitBundleBody.commits":
		return MaxCommits
	case "makechain.CommitMeta.parents":
		return MaxParents
	case "makechain.SignerAddBody.allowed_projects":
		return MaxAllowedProjects
	case "makechain.StorageClaimBody.attestations":
		return MaxAttestations
	default:
		return 0
	}
}

func kindOf(field protoreflect.FieldDescriptor) wireKind {
	invariant(!field.IsMap(), "field %s is a map", field.FullName())
	switch field.Kind() {
	case protoreflect.Uint32Kind:
		return uint32Kind
	case protoreflect.Uint64Kind:
		return uint64Kind
	case protoreflect.EnumKind:
		return enumKind
	case protoreflect.BoolKind:
		return boolKind
	case protoreflect.BytesKind:
		return bytesKind
	case protoreflect.StringKind:
		return stringKind
	case protoreflect.MessageKind:
		return messageKind
	default:
		invariant(false, "field %s is of kind %s", field.FullName(), field.Kind())
		return noField
	}
}

// invariant panics when the schema uses a feature that the canonical check does not support. It depends on the schema
// only, never on input.
func invariant(holds bool, format string, args ...any) {
	if !holds {
		panic("message: canonical encoding: " + fmt.Sprintf(format, args...))
	}
}
