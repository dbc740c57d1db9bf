package vectors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxExactInteger is the largest integer that every reader of JSON takes as it stands.
const maxExactInteger = 1<<53 - 1

// fields writes a message as the vectors do: names of the schema in order of their numbers, bytes in hex,
// enums as numbers, integers that a double cannot hold as text. What is not set is left out.
type fields struct{ proto.Message }

// MarshalJSON writes the fields.
func (f fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	writeMessage(&b, f.ProtoReflect())
	return b.Bytes(), nil
}

func writeMessage(b *bytes.Buffer, m protoreflect.Message) {
	list := m.Descriptor().Fields()
	b.WriteByte('{')
	first := true
	for i := range list.Len() {
		field := list.Get(i)
		if !m.Has(field) {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteString(strconv.Quote(string(field.Name())) + ":")
		if field.IsList() {
			writeList(b, field, m.Get(field).List())
		} else {
			writeValue(b, field, m.Get(field))
		}
	}
	b.WriteByte('}')
}

func writeList(b *bytes.Buffer, field protoreflect.FieldDescriptor, list protoreflect.List) {
	b.WriteByte('[')
	for i := range list.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		writeValue(b, field, list.Get(i))
	}
	b.WriteByte(']')
}

func writeValue(b *bytes.Buffer, field protoreflect.FieldDescriptor, value protoreflect.Value) {
	switch field.Kind() {
	case protoreflect.MessageKind:
		writeMessage(b, value.Message())
	case protoreflect.BytesKind:
		b.WriteString(`"` + hex.EncodeToString(value.Bytes()) + `"`)
	case protoreflect.StringKind:
		writeText(b, value.String())
	case protoreflect.EnumKind:
		b.WriteString(strconv.Itoa(int(value.Enum())))
	case protoreflect.Uint64Kind:
		if value.Uint() > maxExactInteger {
			b.WriteString(`"` + value.String() + `"`)
			return
		}
		b.WriteString(value.String())
	default:
		b.WriteString(value.String())
	}
}

func writeText(b *bytes.Buffer, text string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // text always encodes
	b.Truncate(b.Len() - 1)
}
