package message

import (
	"fmt"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
)

// wireKind is how the value of a field is written.
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

// wireType is the wire type that goes into the tag of a field of this kind.
func (k wireKind) wireType() uint64 {
	if k >= bytesKind {
		return lengthWireType
	}
	return varintWireType
}

// wireField is what the canonical check needs to know about a field.
type wireField struct {
	kind     wireKind
	repeated bool
	// presence says that a default value may be written, because writing it differs from leaving it out.
	presence bool
	// oneof is a bit of its own for each oneof of the message, and zero for fields outside of them.
	oneof   uint8
	message *wireMessage // for messageKind
}

// wireMessage is a message as the canonical check sees it: its fields, by number.
type wireMessage struct {
	name   string
	fields []wireField
}

// dataTable is the table of MessageData. read-only: made from the schema once and never changed.
var dataTable = sync.OnceValue(func() *wireMessage {
	return tableOf((&pb.MessageData{}).ProtoReflect().Descriptor(), maxNesting)
})

// maxNesting bounds how deep messages lie in one another, counted from MessageData. The schema itself stays
// within it, so the bound holds for every input and no depth has to be counted on the way.
const maxNesting = 3

// tableOf reads the table of a message from its descriptor.
func tableOf(message protoreflect.MessageDescriptor, depth int) *wireMessage {
	invariant(depth > 0, "message %s lies deeper than %d", message.FullName(), maxNesting)
	list := message.Fields()
	table := &wireMessage{name: string(message.Name())}
	for i := range list.Len() {
		field := list.Get(i)
		number := int(field.Number())
		for len(table.fields) <= number {
			table.fields = append(table.fields, wireField{})
		}
		table.fields[number] = fieldOf(field, depth)
	}
	return table
}

func fieldOf(field protoreflect.FieldDescriptor, depth int) wireField {
	f := wireField{
		kind:     kindOf(field),
		repeated: field.IsList(),
		presence: field.HasPresence() || field.IsList(),
	}
	if f.repeated {
		invariant(f.kind.wireType() == lengthWireType, "field %s is packed", field.FullName())
	}
	if f.kind == messageKind {
		f.message = tableOf(field.Message(), depth-1)
	}
	if oneof := field.ContainingOneof(); oneof != nil {
		invariant(oneof.Index() < 8, "message %s has more than 8 oneofs", oneof.Parent().FullName())
		f.oneof = 1 << oneof.Index()
	}
	return f
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

// invariant stops the program when the schema has grown something the canonical check does not know yet. It
// depends on the schema alone, never on input.
func invariant(holds bool, format string, args ...any) {
	if !holds {
		panic("message: canonical encoding: " + fmt.Sprintf(format, args...))
	}
}
