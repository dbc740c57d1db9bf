package jsonform

import "google.golang.org/protobuf/reflect/protoreflect"

// Field describes one key of the object that represents a message.
type Field struct {
	Name     string
	Form     Form
	List     bool // a list of values of this form
	MinItems int  // of a list in a request
	MaxItems int  // of a list that is decoded
	Nullable bool // encoded as null if absent; null is decoded as absent in every form
	Required bool // in a request
	Size     int  // the length of bytes, 0 if it varies

	EnumNames   []string                       // for EnumName: the possible values
	EnumNumbers []int32                        // for EnumNumber: the possible values
	Message     protoreflect.MessageDescriptor // for Object: the message, as Unwrapped returns it
	Bodies      []TypedBody                    // for Body: the possible bodies

	// Descriptor is the field of the schema, nil for Body. The two keys of a ref name have the same one.
	Descriptor protoreflect.FieldDescriptor
}

// TypedBody is the body of a message of one type.
type TypedBody struct {
	Type    string // the value of the key "type"
	Message protoreflect.MessageDescriptor
}

// Fields returns the keys of the object that represents a message, in order. It panics if the message has no form, which
// depends only on the schema.
func Fields(descriptor protoreflect.MessageDescriptor) []Field {
	p := mustPlanOf(descriptor).unwrapped()
	fields := make([]Field, len(p.members))
	for i := range p.members {
		fields[i] = p.members[i].describe()
	}
	return fields
}

// Unwrapped returns the message whose object represents a message: the wrapped one for a response that only wraps another
// message, otherwise the message itself.
func Unwrapped(descriptor protoreflect.MessageDescriptor) protoreflect.MessageDescriptor {
	return mustPlanOf(descriptor).unwrapped().descriptor
}

// mustPlanOf returns the plan of a message, and panics if it has no form.
func mustPlanOf(descriptor protoreflect.MessageDescriptor) *plan {
	p, err := planOf(descriptor)
	if err != nil {
		panic("jsonform: " + err.Error())
	}
	return p
}

func (p *plan) unwrapped() *plan {
	for p.wrapped != nil {
		p = p.wrapped.inner
	}
	return p
}

func (m *member) describe() Field {
	f := Field{
		Name: m.key, Form: m.form, List: m.list, MinItems: m.minItems, MaxItems: m.maxItems, Required: m.required, Size: m.size,
		Descriptor: m.field,
		Nullable:   !m.list && (m.presence || m.form.nullable() || m.enum != nil && m.enum.zeroIsAbsent),
	}
	switch m.form {
	case EnumName:
		f.EnumNames = m.enum.choices()
	case EnumNumber:
		for i := m.enum.first(); i < len(m.enum.names); i++ {
			if m.enum.has(protoreflect.EnumNumber(i)) {
				f.EnumNumbers = append(f.EnumNumbers, int32(i))
			}
		}
	case Object:
		f.Message = m.message.unwrapped().descriptor
	case Body:
		for number, name := range m.enum.names[1:] {
			f.Bodies = append(f.Bodies, TypedBody{Type: name, Message: m.bodies.byType[number+1].plan.descriptor})
		}
	}
	return f
}
