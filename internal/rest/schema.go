package rest

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"google.golang.org/protobuf/reflect/protoreflect"

	"makechain/internal/jsonform"
)

const (
	schemaPrefix = "#/components/schemas/"
	// inputSuffix tells the schema of a message that is sent from that of one that is answered. An answer has every
	// key; what is sent may leave keys out and write hex as it likes.
	inputSuffix = "Input"
	typeKey     = "type"
	nullType    = "null"
)

// A schemaWriter describes messages by the forms in which they are written and read. Each is described once, as a
// component that others refer to.
type schemaWriter struct {
	registry huma.Registry
	isInput  bool
}

// answerSchema is the schema of a message in an answer.
func answerSchema(registry huma.Registry, d protoreflect.MessageDescriptor) *huma.Schema {
	return schemaWriter{registry: registry}.reference(d)
}

// inputSchema is the schema of a message in a request.
func inputSchema(registry huma.Registry, d protoreflect.MessageDescriptor) *huma.Schema {
	return schemaWriter{registry: registry, isInput: true}.reference(d)
}

func (w schemaWriter) reference(d protoreflect.MessageDescriptor) *huma.Schema {
	d = jsonform.Unwrapped(d)
	fields := jsonform.Fields(d)
	return w.component(string(d.Name()), func() *huma.Schema {
		if bodies := bodiesIn(fields); bodies != nil {
			return w.union(fields, bodies)
		}
		return w.object(fields, requiredInput(d.FullName()))
	})
}

// component adds a schema under a name, unless it is there, and refers to it.
func (w schemaWriter) component(name string, describe func() *huma.Schema) *huma.Schema {
	if w.isInput {
		name += inputSuffix
	}
	known := w.registry.Map()
	if known[name] == nil {
		known[name] = &huma.Schema{} // for messages that hold one another
		known[name] = describe()
		known[name].PrecomputeMessages()
	}
	return &huma.Schema{Ref: schemaPrefix + name}
}

// requiredInput are the keys that a message has to have when it is sent. What else a node wants, it says itself.
func requiredInput(message protoreflect.FullName) []string {
	switch message {
	case "makechain.Message":
		return []string{"data", "hash", "signature", "signer"}
	case "makechain.BatchSubmitRequest":
		return []string{"messages"}
	default:
		return nil
	}
}

func (w schemaWriter) object(fields []jsonform.Field, required []string) *huma.Schema {
	s := &huma.Schema{
		Type: huma.TypeObject, Properties: make(map[string]*huma.Schema, len(fields)), AdditionalProperties: false,
	}
	for i := range fields {
		s.Properties[fields[i].Name] = w.field(&fields[i])
		s.Required = append(s.Required, fields[i].Name)
	}
	if w.isInput {
		s.Required = required
	}
	return s
}

func bodiesIn(fields []jsonform.Field) []jsonform.TypedBody {
	for i := range fields {
		if fields[i].Form == jsonform.Body {
			return fields[i].Bodies
		}
	}
	return nil
}

// union describes the data of a message: one object for each type, which the type tells apart.
func (w schemaWriter) union(fields []jsonform.Field, bodies []jsonform.TypedBody) *huma.Schema {
	s := &huma.Schema{
		Type: huma.TypeObject, Required: []string{typeKey},
		Discriminator: &huma.Discriminator{PropertyName: typeKey, Mapping: make(map[string]string, len(bodies))},
	}
	for _, body := range bodies {
		name := strings.TrimSuffix(string(body.Message.Name()), "Body") + "Data"
		variant := w.component(name, func() *huma.Schema { return w.variant(fields, body) })
		s.OneOf = append(s.OneOf, variant)
		s.Discriminator.Mapping[body.Type] = variant.Ref
	}
	return s
}

func (w schemaWriter) variant(fields []jsonform.Field, body jsonform.TypedBody) *huma.Schema {
	s := w.object(fields, []string{typeKey})
	s.Properties[typeKey] = &huma.Schema{Type: huma.TypeString, Enum: []any{body.Type}}
	s.Properties["body"] = w.reference(body.Message)
	return s
}

// field describes a value, and says where null may stand for it. What is sent may be null too, unless it is an object.
func (w schemaWriter) field(f *jsonform.Field) *huma.Schema {
	s := w.value(f)
	if f.List {
		return w.list(f, s)
	}
	if w.isInput && s.Ref != "" || !w.isInput && !f.Nullable {
		return s
	}
	if s.Ref != "" {
		return &huma.Schema{OneOf: []*huma.Schema{s, {Type: nullType, Enum: []any{nil}}}}
	}
	s.Nullable = true
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}

func (w schemaWriter) list(f *jsonform.Field, items *huma.Schema) *huma.Schema {
	list := &huma.Schema{Type: huma.TypeArray, Items: items}
	if w.isInput {
		list.Nullable, list.MaxItems = true, &f.MaxItems
	}
	if f.Descriptor.FullName() == "makechain.BatchSubmitRequest.messages" {
		least := 1
		list.Nullable, list.MinItems = false, &least
	}
	return list
}

func (w schemaWriter) value(f *jsonform.Field) *huma.Schema {
	switch f.Form {
	case jsonform.Number:
		least, most := 0.0, float64(1<<32-1)
		return &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most}
	case jsonform.Decimal:
		return &huma.Schema{Type: huma.TypeString, Format: "uint64", Pattern: decimalPattern}
	case jsonform.Boolean:
		return &huma.Schema{Type: huma.TypeBoolean}
	case jsonform.Word:
		return &huma.Schema{Type: huma.TypeString, Enum: asValues(f.Words)}
	case jsonform.Code:
		s := &huma.Schema{Type: huma.TypeInteger}
		for _, code := range f.Codes {
			s.Enum = append(s.Enum, float64(code)) // as JSON numbers are compared
		}
		return s
	case jsonform.Object:
		return w.reference(f.Message)
	case jsonform.Hex, jsonform.PrefixedHex, jsonform.Address, jsonform.Verified, jsonform.Cursor:
		return w.bytes(f)
	default:
		return &huma.Schema{Type: huma.TypeString}
	}
}

func asValues(words []string) []any {
	values := make([]any, len(words))
	for i, word := range words {
		values[i] = word
	}
	return values
}
