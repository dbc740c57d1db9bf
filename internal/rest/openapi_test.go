package rest_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/jsonform"
	"makechain/internal/server"
	"makechain/message"
)

// TestResponsesOfEveryRoute checks the statuses, the headers and the parameters that the OpenAPI document has for every route.
//
// Rules: REST.
func TestResponsesOfEveryRoute(t *testing.T) {
	t.Parallel()
	d := newLocalGateway(t, makechainpbconnect.UnimplementedMakechainServiceHandler{}).document
	for _, methods := range d.Paths {
		for _, op := range methods {
			for _, status := range []string{"200", "400", "422", "429", "500", "503", "504", "default"} {
				response, listed := op.Responses[status]
				if !listed || status != "200" && response.Content[problemType].Schema["$ref"] != "#/components/schemas/Problem" {
					t.Errorf("%s: %s is %v", op.ID, status, response)
				}
			}
			for _, parameter := range op.Parameters {
				if parameter.Name == "types" && parameter.Schema["type"] != "array" || isNullable(parameter.Schema) {
					t.Errorf("%s: the parameter %s is %v", op.ID, parameter.Name, parameter.Schema)
				}
			}
			for status, response := range op.Responses {
				want := []string{"Cache-Control", server.BehindHeader, server.BlockHeader, server.RequestIDHeader}
				if status == "429" || status == "503" {
					want = append(want, "Retry-After")
				}
				slices.Sort(want)
				if got := slices.Sorted(maps.Keys(response.Headers)); !slices.Equal(got, want) {
					t.Errorf("%s: %s has the headers %q, want %q", op.ID, status, got, want)
				}
				for name, header := range response.Headers {
					if header.Ref != "#/components/headers/"+name || d.Components.Headers[name].Description == "" {
						t.Errorf("%s: %s has the header %s with %q", op.ID, status, name, header.Ref)
					}
				}
			}
		}
	}
}

// TestReadMessagesCanBeSent checks that whatever the schema of a response allows is allowed by the schema of the request.
//
// Rules: REST.
func TestReadMessagesCanBeSent(t *testing.T) {
	t.Parallel()
	d := newLocalGateway(t, makechainpbconnect.UnimplementedMakechainServiceHandler{}).document
	var pairs int
	for name, input := range d.Components.Schemas {
		if output := d.Components.Schemas[strings.TrimSuffix(name, "Input")]; strings.HasSuffix(name, "Input") && output != nil {
			pairs++
			for _, wrong := range d.accepts(input, output, name) {
				t.Error(wrong)
			}
		}
	}
	if pairs < 2*len(pb.MessageType_name) {
		t.Errorf("%d schemas of requests and responses, want those of all data and bodies", pairs)
	}
}

// accepts returns why a schema does not allow every value of another, by types and keys. Components are compared by name.
func (d *document) accepts(input, output jsonSchema, path string) (wrong []string) {
	if ref, isRef := output["$ref"].(string); isRef {
		if input["$ref"] != ref+"Input" {
			return []string{fmt.Sprintf("%s: %v for %s", path, input, ref)}
		}
		return nil
	}
	for _, one := range typesOf(output) {
		if !slices.Contains(typesOf(input), one) {
			wrong = append(wrong, fmt.Sprintf("%s: %v for %v", path, typesOf(input), one))
		}
	}
	values, limited := input["enum"].([]any)
	for _, value := range listAt(output, "enum") {
		if limited && !slices.Contains(values, value) {
			wrong = append(wrong, fmt.Sprintf("%s: not %v", path, value))
		}
	}
	if limited && output["enum"] == nil {
		wrong = append(wrong, path+": any value")
	}
	if items, isList := output["items"].(map[string]any); isList {
		wrong = append(wrong, d.accepts(input["items"].(map[string]any), items, path+"[]")...)
	}
	choices := listAt(input, "oneOf")
	if len(choices) != len(listAt(output, "oneOf")) {
		return append(wrong, fmt.Sprintf("%s: %v for %v", path, input, output))
	}
	for i, choice := range listAt(output, "oneOf") {
		wrong = append(wrong, d.accepts(choices[i].(map[string]any), choice.(map[string]any), path)...)
	}
	for _, key := range listAt(input, "required") {
		if !slices.Contains(listAt(output, "required"), key) {
			wrong = append(wrong, fmt.Sprintf("%s: %s may be missing", path, key))
		}
	}
	known, _ := input["properties"].(map[string]any)
	properties, _ := output["properties"].(map[string]any)
	for key, property := range properties {
		if known[key] == nil {
			wrong = append(wrong, fmt.Sprintf("%s: no %s", path, key))
			continue
		}
		wrong = append(wrong, d.accepts(known[key].(map[string]any), property.(map[string]any), path+"."+key)...)
	}
	return wrong
}

func listAt(s jsonSchema, keyword string) []any {
	list, _ := s[keyword].([]any)
	return list
}

func typesOf(s jsonSchema) []any {
	if one, isOne := s["type"].(string); isOne {
		return []any{one}
	}
	return listAt(s, "type")
}

func isNullable(s jsonSchema) bool { return slices.Contains(typesOf(s), "null") }

// TestNullableFieldsOfMessages checks that a field of a message is nullable in responses if and only if it is null in some valid
// message: one of the vectors, or one of them without the field or with a field that is not text.
//
// Rules: REST.
func TestNullableFieldsOfMessages(t *testing.T) {
	t.Parallel()
	d := newLocalGateway(t, makechainpbconnect.UnimplementedMakechainServiceHandler{}).document
	root := jsonSchema{"$ref": "#/components/schemas/Message"}
	isNull := map[string]bool{"Message.data_bytes": true} // nodes do not return it
	types := map[pb.MessageType]bool{}
	for _, m := range vectorMessages(t) {
		for _, variant := range append(variants(m.GetData().ProtoReflect(), m), m) {
			canonical, err := message.Canonical(variant.GetData())
			if err != nil {
				t.Fatal(err)
			}
			hash := blake3.Sum256(canonical)
			variant.Hash = hash[:]
			envelope, refusal := message.Open(variant)
			if refusal != nil || envelope.Validate() != nil {
				continue
			}
			types[envelope.Type()] = true
			text, err := jsonform.Marshal(variant)
			if err != nil {
				t.Fatal(err)
			}
			var value any
			if err := json.Unmarshal(text, &value); err != nil {
				t.Fatal(err)
			}
			for _, wrong := range append(d.check(root, "Message", value), d.check(jsonSchema{"$ref": root["$ref"].(string) + "Input"}, "MessageInput", value)...) {
				t.Errorf("%s: %s", text, wrong)
			}
			d.walk(root, value, "", func(key string, value any) { isNull[key] = isNull[key] || value == nil })
		}
	}
	if want := len(pb.MessageType_name) - 1; len(types) != want {
		t.Errorf("messages of %d types, want %d", len(types), want)
	}
	for key, null := range isNull {
		component, name, _ := strings.Cut(key, ".")
		property, _ := d.Components.Schemas[component]["properties"].(map[string]any)[name].(map[string]any)
		if isNullable(property) != null {
			t.Errorf("%s: nullable %v, null in a valid message %v", key, isNullable(property), null)
		}
	}
}

// walk visits the keys of the objects in a value, with the names of their components.
func (d *document) walk(s jsonSchema, value any, component string, visit func(key string, value any)) {
	if ref, isRef := s["$ref"].(string); isRef {
		component = strings.TrimPrefix(ref, "#/components/schemas/")
		d.walk(d.Components.Schemas[component], value, component, visit)
		return
	}
	for _, choice := range listAt(s, "oneOf") {
		if d.check(choice.(map[string]any), "", value) == nil {
			d.walk(choice.(map[string]any), value, component, visit)
		}
	}
	if items, isList := value.([]any); isList {
		for _, item := range items {
			d.walk(s["items"].(map[string]any), item, component, visit)
		}
	}
	object, _ := value.(map[string]any)
	properties, _ := s["properties"].(map[string]any)
	for key, property := range properties {
		visit(component+"."+key, object[key])
		d.walk(property.(map[string]any), object[key], component, visit)
	}
}

// variants returns copies of m that differ in one field of a message in it: empty, or bytes that are not text. A list of messages
// is varied in its first item.
func variants(in protoreflect.Message, m *pb.Message) (list []*pb.Message) {
	change := func(field protoreflect.FieldDescriptor, value protoreflect.Value) {
		before := in.Get(field)
		if value.IsValid() {
			in.Set(field, value)
		} else {
			in.Clear(field)
		}
		list = append(list, proto.CloneOf(m))
		in.Set(field, before)
	}
	in.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsList() && field.Message() != nil:
			list = append(list, variants(value.List().Get(0).Message(), m)...)
		case field.IsList():
		case field.Message() != nil:
			list = append(list, variants(value.Message(), m)...)
		case field.Kind() == protoreflect.BytesKind:
			change(field, protoreflect.ValueOfBytes([]byte{0xff}))
			change(field, protoreflect.Value{})
		default:
			change(field, protoreflect.Value{})
		}
		return true
	})
	return list
}

// vectorMessages returns the valid messages of the vectors.
func vectorMessages(t *testing.T) (list []*pb.Message) {
	t.Helper()
	content, err := os.ReadFile("../../testdata/vectors/messages.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Messages []struct {
			Transaction, Submission string
			Verdict                 any
		}
	}
	if err := json.Unmarshal(content, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors.Messages {
		if v.Verdict != "accepted" {
			continue
		}
		encoded, err := hex.DecodeString(v.Transaction + v.Submission)
		if err != nil {
			t.Fatal(err)
		}
		m := &pb.Message{}
		if err := proto.Unmarshal(encoded, m); err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}
