package jsonform

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Field is one key of the object that a message is written as.
type Field struct {
	Name     string
	Form     Form
	List     bool // a list of values of this form
	MaxItems int  // of a list, when it is read
	Nullable bool // written as null when absent; whatever its form, null is taken for absent when read

	Words   []string                       // for Word: what it may be
	Codes   []int32                        // for Code: what it may be
	Message protoreflect.MessageDescriptor // for Object: the message that is written, as Unwrapped gives it
	Bodies  []TypedBody                    // for Body: what it may be

	// Descriptor is the field of the schema, nil for Body. The two keys of the name of a ref share one.
	Descriptor protoreflect.FieldDescriptor
}

// TypedBody is the body that a message of one type has.
type TypedBody struct {
	Type    string // the word that stands beside it under "type"
	Message protoreflect.MessageDescriptor
}

// Fields lists the keys of the object that a message is written as, in their order. It panics on a message
// that has something without a form, which depends on the schema alone.
func Fields(descriptor protoreflect.MessageDescriptor) []Field {
	p := mustPlanOf(descriptor).unwrapped()
	fields := make([]Field, len(p.members))
	for i := range p.members {
		fields[i] = p.members[i].describe()
	}
	return fields
}

// Unwrapped is the message of which the object stands for a message: the one inside for an answer that only
// wraps another, and the message itself otherwise.
func Unwrapped(descriptor protoreflect.MessageDescriptor) protoreflect.MessageDescriptor {
	return mustPlanOf(descriptor).unwrapped().descriptor
}

// mustPlanOf is planOf for a message that is known to have a form.
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
		Name: m.key, Form: m.form, List: m.list, MaxItems: m.limit, Descriptor: m.field,
		Nullable: !m.list && (m.presence || m.form.nullable() || m.words != nil && m.words.absent),
	}
	switch m.form {
	case Word:
		f.Words = slices.Clone(m.words.choices())
	case Code:
		for i := m.words.first(); i < len(m.words.words); i++ {
			f.Codes = append(f.Codes, int32(i))
		}
	case Object:
		f.Message = m.message.unwrapped().descriptor
	case Body:
		for number, word := range m.words.words[1:] {
			f.Bodies = append(f.Bodies, TypedBody{Type: word, Message: m.bodies.byType[number+1].plan.descriptor})
		}
	}
	return f
}
