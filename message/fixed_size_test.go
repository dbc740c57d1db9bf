package message

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// fieldPath identifies one value of type bytes inside a body.
type fieldPath struct {
	name   string
	update func(data protoreflect.Message, f func([]byte) []byte)
}

// openSize lists the byte fields of variable length.
var openSize = map[string]bool{
	"ref_name": true, "source_ref": true, "target_ref": true, "witness": true, "chain_id": true,
	"claim_signature": true, "custody_signature": true, "request_signature": true,
	"authorization_signature": true, "revocation_signature": true, "verification_remove.address": true,
}

// fixedSizeFields returns the byte fields of fixed size in the body of data.
func fixedSizeFields(data protoreflect.Message, body string) []fieldPath {
	field := data.Descriptor().Fields().ByName(protoreflect.Name(body))
	var paths []fieldPath
	for _, p := range bytesFields(data.Get(field).Message(), body) {
		short := p.name[strings.LastIndexByte(p.name, '.')+1:]
		if openSize[short] || openSize[p.name] {
			continue
		}
		paths = append(paths, fieldPath{p.name, func(data protoreflect.Message, f func([]byte) []byte) {
			p.update(data.Mutable(field).Message(), f)
		}})
	}
	return paths
}

// bytesFields returns every byte field that is set in m, including those in lists and in the messages of lists.
func bytesFields(m protoreflect.Message, prefix string) (paths []fieldPath) {
	list := m.Descriptor().Fields()
	for i := range list.Len() {
		field := list.Get(i)
		name := prefix + "." + string(field.Name())
		switch {
		case !m.Has(field):
		case field.IsList():
			paths = append(paths, elementFields(m, field, name)...)
		case field.Kind() == protoreflect.BytesKind:
			paths = append(paths, fieldPath{name, func(m protoreflect.Message, f func([]byte) []byte) {
				m.Set(field, protoreflect.ValueOfBytes(f(m.Get(field).Bytes())))
			}})
		}
	}
	return paths
}

func elementFields(m protoreflect.Message, field protoreflect.FieldDescriptor, name string) (paths []fieldPath) {
	for i := range m.Get(field).List().Len() {
		element := fmt.Sprintf("%s[%d]", name, i)
		if field.Kind() == protoreflect.BytesKind {
			paths = append(paths, fieldPath{element, func(m protoreflect.Message, f func([]byte) []byte) {
				list := m.Mutable(field).List()
				list.Set(i, protoreflect.ValueOfBytes(f(list.Get(i).Bytes())))
			}})
			continue
		}
		for _, p := range bytesFields(m.Get(field).List().Get(i).Message(), element) {
			paths = append(paths, fieldPath{p.name, func(m protoreflect.Message, f func([]byte) []byte) {
				p.update(m.Mutable(field).List().Get(i).Message(), f)
			}})
		}
	}
	return paths
}
