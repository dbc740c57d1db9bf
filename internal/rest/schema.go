package rest

import (
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"google.golang.org/protobuf/reflect/protoreflect"

	"makechain/internal/jsonform"
)

const (
	schemaPrefix = "#/components/schemas/"
	// inputSuffix distinguishes the schema of a message in a request from that in a response. A response has every key; a
	// request may omit keys and write hex in any case, with or without 0x.
	inputSuffix = "Input"
	typeKey     = "type"
)

// A schemaWriter describes messages by their JSON forms. Each message is described once, as a component.
type schemaWriter struct {
	registry huma.Registry
	isInput  bool
}

// responseSchema returns the schema of a message in a response.
func responseSchema(registry huma.Registry, d protoreflect.MessageDescriptor) *huma.Schema {
	return schemaWriter{registry: registry}.reference(d)
}

// requestSchema returns the schema of a message in a request.
func requestSchema(registry huma.Registry, d protoreflect.MessageDescriptor) *huma.Schema {
	return schemaWriter{registry: registry, isInput: true}.reference(d)
}

func (w schemaWriter) reference(d protoreflect.MessageDescriptor) *huma.Schema {
	d = jsonform.Unwrapped(d)
	fields := jsonform.Fields(d)
	return w.component(string(d.Name()), func() *huma.Schema {
		for i := range fields {
			if fields[i].Form == jsonform.Body {
				return w.union(d.Name(), fields, fields[i].Bodies)
			}
		}
		return w.object(d.Name(), fields)
	})
}

// component adds a schema under a name, unless it exists, and returns a reference to it.
func (w schemaWriter) component(name string, describe func() *huma.Schema) *huma.Schema {
	if w.isInput {
		name += inputSuffix
	}
	schemas := w.registry.Map()
	if schemas[name] == nil {
		schemas[name] = &huma.Schema{} // for recursive messages
		schemas[name] = describe()
		schemas[name].PrecomputeMessages()
	}
	return &huma.Schema{Ref: schemaPrefix + name}
}

func (w schemaWriter) object(message protoreflect.Name, fields []jsonform.Field) *huma.Schema {
	s := &huma.Schema{
		Type: huma.TypeObject, Properties: make(map[string]*huma.Schema, len(fields)), AdditionalProperties: false,
	}
	for i := range fields {
		nullable := w.isInput || mayBeNull(message, fields[i].Name)
		s.Properties[fields[i].Name] = w.field(&fields[i], nullable)
		if !w.isInput || fields[i].Required {
			s.Required = append(s.Required, fields[i].Name)
		}
	}
	return s
}

// union describes the data of a message: one object for each type, with the type as the discriminator.
func (w schemaWriter) union(message protoreflect.Name, fields []jsonform.Field, bodies []jsonform.TypedBody) *huma.Schema {
	s := &huma.Schema{
		Type: huma.TypeObject, Required: []string{typeKey},
		Discriminator: &huma.Discriminator{PropertyName: typeKey, Mapping: make(map[string]string, len(bodies))},
	}
	for _, body := range bodies {
		name := strings.TrimSuffix(string(body.Message.Name()), "Body") + "Data"
		variant := w.component(name, func() *huma.Schema {
			v := w.object(message, fields)
			v.Properties[typeKey] = &huma.Schema{Type: huma.TypeString, Enum: []any{body.Type}}
			v.Properties["body"] = w.reference(body.Message)
			return v
		})
		s.OneOf = append(s.OneOf, variant)
		s.Discriminator.Mapping[body.Type] = variant.Ref
	}
	return s
}

// field describes the value of a key. Objects are never null, and lists only in requests that need not have them.
func (w schemaWriter) field(f *jsonform.Field, nullable bool) *huma.Schema {
	s := w.value(f)
	if f.List {
		list := &huma.Schema{Type: huma.TypeArray, Items: s}
		if w.isInput {
			list.Nullable, list.MaxItems = !f.Required, &f.MaxItems
		}
		if f.MinItems > 0 {
			list.MinItems = &f.MinItems
		}
		return list
	}
	if s.Ref != "" || !nullable {
		return s
	}
	s.Nullable = true
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
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
	case jsonform.EnumName:
		s := &huma.Schema{Type: huma.TypeString}
		for _, name := range f.EnumNames {
			s.Enum = append(s.Enum, name)
		}
		return s
	case jsonform.EnumNumber:
		s := &huma.Schema{Type: huma.TypeInteger}
		for _, number := range f.EnumNumbers {
			s.Enum = append(s.Enum, float64(number)) // the type of numbers in encoding/json
		}
		return s
	case jsonform.Object:
		return w.reference(f.Message)
	case jsonform.Hex, jsonform.PrefixedHex, jsonform.Address, jsonform.ExternalAddress, jsonform.Cursor:
		if f.Size > 0 {
			return &huma.Schema{Type: huma.TypeString, Pattern: w.hexPattern(f)}
		}
		return longHex(w.hexPattern(f))
	default:
		return &huma.Schema{Type: huma.TypeString}
	}
}

// longHex returns a schema whose pattern huma does not check: a regular expression takes a quarter of a second for a
// megabyte, and the parser checks the hex anyway.
func longHex(pattern string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: map[string]any{"pattern": pattern}}
}

// hexPattern returns the regular expression of bytes: exact for responses, lenient for requests.
func (w schemaWriter) hexPattern(f *jsonform.Field) string {
	prefix, digit := "", "[0-9a-f]"
	switch f.Form {
	case jsonform.PrefixedHex, jsonform.Address:
		prefix = "0x"
	case jsonform.ExternalAddress:
		prefix = "(0x)?"
	}
	if w.isInput {
		prefix, digit = "(0x)?", "[0-9a-fA-F]"
	}
	if f.Size > 0 {
		return fmt.Sprintf("^%s%s{%d}$", prefix, digit, 2*f.Size)
	}
	return fmt.Sprintf("^%s(%s{2})*$", prefix, digit)
}
