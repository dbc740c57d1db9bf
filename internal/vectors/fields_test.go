package vectors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxExactInteger is the largest integer that every JSON decoder reads exactly.
const maxExactInteger = 1<<53 - 1

// fields encodes a message as the vectors do: field names of the schema in order of their numbers, bytes in hex, enums as
// numbers, and integers that a double cannot represent as text. Unset fields are omitted.
type fields struct{ proto.Message }

// MarshalJSON implements json.Marshaler.
func (f fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := writeMessage(&b, f.ProtoReflect())
	return b.Bytes(), err
}

func writeMessage(b *bytes.Buffer, m protoreflect.Message) error {
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
		write := writeValue
		if field.IsList() {
			write = writeList
		}
		if err := write(b, field, m.Get(field)); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func writeList(b *bytes.Buffer, field protoreflect.FieldDescriptor, value protoreflect.Value) error {
	list := value.List()
	b.WriteByte('[')
	for i := range list.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeValue(b, field, list.Get(i)); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

func writeValue(b *bytes.Buffer, field protoreflect.FieldDescriptor, value protoreflect.Value) error {
	switch field.Kind() {
	case protoreflect.MessageKind:
		return writeMessage(b, value.Message())
	case protoreflect.BytesKind:
		b.WriteString(`"` + hex.EncodeToString(value.Bytes()) + `"`)
	case protoreflect.StringKind:
		return writeText(b, value.String())
	case protoreflect.EnumKind:
		b.WriteString(strconv.Itoa(int(value.Enum())))
	case protoreflect.Uint64Kind:
		if value.Uint() > maxExactInteger {
			b.WriteString(`"` + value.String() + `"`)
			break
		}
		b.WriteString(value.String())
	default:
		b.WriteString(value.String())
	}
	return nil
}

// writeText writes a JSON string without HTML escapes.
func writeText(b *bytes.Buffer, text string) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the newline
	return nil
}
