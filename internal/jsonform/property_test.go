package jsonform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"
)

// TestAnyMessage encodes and decodes random messages of all types, and checks that they do not change and that the encoding is
// as Fields describes it.
func TestAnyMessage(t *testing.T) {
	t.Parallel()
	for _, d := range reachable() {
		t.Run(string(d.Name()), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				m := newMessage(t, d)
				draw(rt, m.ProtoReflect())
				text, err := Marshal(m)
				if err != nil {
					rt.Fatal(err)
				}
				read := newMessage(t, d)
				if err := Unmarshal(text, read); err != nil {
					rt.Fatalf("%s: %v", text, err)
				}
				if !proto.Equal(read, m) {
					rt.Fatalf("%s\nreads %v\nwant  %v", text, read, m)
				}
				if again, err := Marshal(read); err != nil || !bytes.Equal(again, text) {
					rt.Fatalf("written again as %s, %v\nwant %s", again, err, text)
				}
				var generic any
				if err := json.Unmarshal(text, &generic); err != nil {
					rt.Fatal(err)
				}
				if problem := checkObject(Fields(d), generic); problem != "" {
					rt.Fatalf("%s: %s", text, problem)
				}
			})
		})
	}
}

// draw fills a message with random values that a node could return.
func draw(rt *rapid.T, m protoreflect.Message) {
	d := m.Descriptor()
	if name := wrappedField(d.FullName()); name != "" {
		inner := m.Mutable(d.Fields().ByName(name)).Message()
		draw(rt, inner)
		if field := d.Fields().ByName("block_number"); field != nil {
			m.Set(field, inner.Get(inner.Descriptor().Fields().ByName("block_number")))
		}
		return
	}
	for i := range d.Fields().Len() {
		field := d.Fields().Get(i)
		if oneof := field.ContainingOneof(); oneof != nil && !oneof.IsSynthetic() {
			continue
		}
		drawField(rt, m, field)
	}
	for i := range d.Oneofs().Len() {
		oneof := d.Oneofs().Get(i)
		switch {
		case oneof.IsSynthetic():
		case d.FullName() == dataMessage:
			drawBody(rt, m)
		default:
			chosen := rapid.IntRange(0, oneof.Fields().Len()).Draw(rt, "choice")
			if chosen > 0 {
				m.Set(oneof.Fields().Get(chosen-1), drawScalar(rt, oneof.Fields().Get(chosen-1)))
			}
		}
	}
}

// drawBody sets a random type and its body, or no body.
func drawBody(rt *rapid.T, m protoreflect.Message) {
	d := m.Descriptor()
	kind := d.Fields().ByName("type")
	number := protoreflect.EnumNumber(rapid.IntRange(0, kind.Enum().Values().Len()-1).Draw(rt, "type"))
	m.Set(kind, protoreflect.ValueOfEnum(number))
	if number == 0 || rapid.IntRange(0, 9).Draw(rt, "bodyless") == 0 {
		return
	}
	name := mustPlanOf(d).members[0].enum.names[number]
	draw(rt, m.Mutable(d.Fields().ByName(protoreflect.Name(name))).Message())
}

func drawField(rt *rapid.T, m protoreflect.Message, field protoreflect.FieldDescriptor) {
	switch {
	case field.IsList():
		list := m.Mutable(field).List()
		for range rapid.IntRange(0, 2).Draw(rt, "items") {
			if field.Message() != nil {
				draw(rt, list.AppendMutable().Message())
			} else {
				list.Append(drawScalar(rt, field))
			}
		}
	case field.HasPresence() && rapid.Bool().Draw(rt, "absent"):
	case field.Message() != nil:
		draw(rt, m.Mutable(field).Message())
	default:
		m.Set(field, drawScalar(rt, field))
	}
}

func drawScalar(rt *rapid.T, field protoreflect.FieldDescriptor) protoreflect.Value {
	name := string(field.Name())
	switch field.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(rapid.StringN(0, 5, -1).Draw(rt, name))
	case protoreflect.BytesKind:
		size := rapid.SampledFrom([]int{0, 1, 3, 20}).Draw(rt, "size")
		return protoreflect.ValueOfBytes(rapid.SliceOfN(rapid.Byte(), size, size).Draw(rt, name))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(rt, name))
	case protoreflect.EnumKind:
		values := field.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(rapid.IntRange(0, values.Len()-1).Draw(rt, name)).Number())
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(rt, name))
	default:
		return protoreflect.ValueOfUint64(rapid.Uint64().Draw(rt, name))
	}
}

// checkObject checks an object, as encoding/json decodes it, against its fields. It returns an error text, or "".
func checkObject(fields []Field, value any) string {
	object, isObject := value.(map[string]any)
	if !isObject || len(object) != len(fields) {
		return fmt.Sprintf("%v is not an object of %d keys", value, len(fields))
	}
	for _, field := range fields {
		inside, isThere := object[field.Name]
		items, isList := inside.([]any)
		switch {
		case !isThere:
			return field.Name + " is missing"
		case inside == nil && !field.Nullable:
			return field.Name + " is null"
		case inside == nil:
			continue
		case isList != field.List:
			return field.Name + " is a list, or should be one"
		case !isList:
			items = []any{inside}
		}
		for _, item := range items {
			if problem := checkValue(field, object, item); problem != "" {
				return field.Name + ": " + problem
			}
		}
	}
	return ""
}

// patterns of the strings of each form. read-only: compiled once for all tests.
var patterns = map[Form]*regexp.Regexp{
	Hex:             regexp.MustCompile(`^([0-9a-f]{2})*$`),
	Cursor:          regexp.MustCompile(`^([0-9a-f]{2})*$`),
	PrefixedHex:     regexp.MustCompile(`^0x([0-9a-f]{2})*$`),
	Address:         regexp.MustCompile(`^0x([0-9a-f]{2})*$`),
	ExternalAddress: regexp.MustCompile(`^(0x[0-9a-f]{40}|([0-9a-f]{2})*)$`),
	Decimal:         regexp.MustCompile(`^(0|[1-9][0-9]*)$`),
}

func checkValue(field Field, beside map[string]any, value any) string {
	text, isText := value.(string)
	number, isNumber := value.(float64)
	var right bool
	switch field.Form {
	case Text, RefText:
		right = isText && utf8.ValidString(text)
	case EnumName:
		right = isText && (slices.Contains(field.EnumNames, text) || field.List && text == "none")
	case EnumNumber:
		right = isNumber && slices.Contains(field.EnumNumbers, int32(number))
	case Number:
		right = isNumber && number >= 0
	case Boolean:
		_, right = value.(bool)
	case Object:
		return checkObject(Fields(field.Message), value)
	case Body:
		i := slices.IndexFunc(field.Bodies, func(b TypedBody) bool { return b.Type == beside["type"] })
		return checkObject(Fields(field.Bodies[i].Message), value)
	default:
		right = isText && patterns[field.Form].MatchString(text)
	}
	if !right {
		return fmt.Sprintf("%v is not of form %d", value, field.Form)
	}
	return ""
}
