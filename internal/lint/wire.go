package lint

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// wireMarker separates the hand-written part of the wire page from the generated tables.
const wireMarker = "<!-- Everything below is generated from proto/ by `make generate`. -->\n"

// WirePage returns the wire page: the part of page up to the marker, followed by the tables of the files.
func WirePage(page string, files []protoreflect.FileDescriptor) (string, error) {
	prose, _, found := strings.Cut(page, wireMarker)
	if !found {
		return "", fmt.Errorf("the page has no line %q", strings.TrimSpace(wireMarker))
	}
	files = slices.SortedFunc(slices.Values(files), func(a, b protoreflect.FileDescriptor) int {
		return cmp.Compare(a.Path(), b.Path())
	})
	var tables strings.Builder
	for _, file := range files {
		for i := range file.Services().Len() {
			writeService(&tables, file.Services().Get(i))
		}
	}
	tables.WriteString("\n## Oneofs\n\n| message | oneof | fields |\n|---|---|---|\n")
	for _, file := range files {
		for i := range file.Messages().Len() {
			writeOneofs(&tables, file.Messages().Get(i))
		}
	}
	for _, file := range files {
		if file.Messages().Len()+file.Enums().Len() > 0 {
			writeTypes(&tables, file)
		}
	}
	return prose + wireMarker + tables.String(), nil
}

func writeService(page *strings.Builder, service protoreflect.ServiceDescriptor) {
	fmt.Fprintf(page, "\n## Methods of `%s`\n\n| method | request | response |\n|---|---|---|\n", service.FullName())
	for i := range service.Methods().Len() {
		method := service.Methods().Get(i)
		stream := ""
		if method.IsStreamingServer() {
			stream = "stream of "
		}
		fmt.Fprintf(page, "| `%s` | `%s` | %s`%s` |\n", method.Name(), method.Input().Name(), stream, method.Output().Name())
	}
}

func writeOneofs(page *strings.Builder, message protoreflect.MessageDescriptor) {
	for i := range message.Oneofs().Len() {
		oneof := message.Oneofs().Get(i)
		if oneof.IsSynthetic() {
			continue
		}
		fields := oneof.Fields()
		fmt.Fprintf(page, "| `%s` | `%s` | %d-%d |\n", message.Name(), oneof.Name(), fields.Get(0).Number(), fields.Get(fields.Len()-1).Number())
	}
}

// writeTypes writes the messages and enums of a file. Fields come in ascending order of their numbers.
func writeTypes(page *strings.Builder, file protoreflect.FileDescriptor) {
	fmt.Fprintf(page, "\n## `%s`\n\n| name | fields: `number name:type` (`[]` repeated, `?` optional) |\n|---|---|\n", path.Base(file.Path()))
	for i := range file.Messages().Len() {
		message := file.Messages().Get(i)
		fields := make([]protoreflect.FieldDescriptor, message.Fields().Len())
		for j := range fields {
			fields[j] = message.Fields().Get(j)
		}
		slices.SortFunc(fields, func(a, b protoreflect.FieldDescriptor) int { return cmp.Compare(a.Number(), b.Number()) })
		cells := make([]string, len(fields))
		for j, field := range fields {
			cells[j] = fmt.Sprintf("`%d %s:%s`", field.Number(), field.Name(), fieldType(field))
		}
		if len(cells) == 0 {
			cells = []string{"(no fields)"}
		}
		fmt.Fprintf(page, "| `%s` | %s |\n", message.Name(), strings.Join(cells, " · "))
	}
	for i := range file.Enums().Len() {
		enum := file.Enums().Get(i)
		cells := make([]string, enum.Values().Len())
		for j := range cells {
			value := enum.Values().Get(j)
			cells[j] = "`" + strconv.Itoa(int(value.Number())) + " " + string(value.Name()) + "`"
		}
		fmt.Fprintf(page, "| `%s` (enum) | %s |\n", enum.Name(), strings.Join(cells, " · "))
	}
}

// fieldType returns a scalar type or the name of a type, with [] when it is repeated and ? when it is optional.
func fieldType(field protoreflect.FieldDescriptor) string {
	name := field.Kind().String()
	if field.Message() != nil {
		name = string(field.Message().Name())
	} else if field.Enum() != nil {
		name = string(field.Enum().Name())
	}
	switch {
	case field.IsList():
		return name + "[]"
	case field.HasOptionalKeyword():
		return name + "?"
	default:
		return name
	}
}
