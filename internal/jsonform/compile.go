package jsonform

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// compiler makes plans, each once, so that messages may share them.
type compiler struct {
	plans map[protoreflect.MessageDescriptor]*plan
}

// mustCompile stops the program when the schema has grown something that has no form yet. It depends on the
// schema alone, never on input.
func (c *compiler) mustCompile(descriptor protoreflect.MessageDescriptor) {
	if _, err := c.compile(descriptor); err != nil {
		panic("jsonform: " + err.Error())
	}
}

func (c *compiler) compile(descriptor protoreflect.MessageDescriptor) (*plan, error) {
	if p := c.plans[descriptor]; p != nil {
		return p, nil
	}
	p := &plan{descriptor: descriptor, names: map[string]int{}}
	c.plans[descriptor] = p
	if name := wrappedField(descriptor.FullName()); name != "" {
		return p, c.wrap(p, descriptor.Fields().ByName(name))
	}
	fields := descriptor.Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if descriptor.FullName() == dataMessage && field.ContainingOneof() != nil {
			continue
		}
		if err := c.addField(p, field); err != nil {
			return nil, err
		}
	}
	if descriptor.FullName() == dataMessage {
		if err := c.addBody(p); err != nil {
			return nil, err
		}
	}
	if len(p.members) > maxMembers {
		return nil, fmt.Errorf("%s has more than %d keys", descriptor.FullName(), maxMembers)
	}
	return p, nil
}

// wrap makes an answer stand as the message in one of its fields.
func (c *compiler) wrap(p *plan, inner protoreflect.FieldDescriptor) error {
	if inner == nil || inner.Message() == nil {
		return fmt.Errorf("%s wraps no message", p.descriptor.FullName())
	}
	innerPlan, err := c.compile(inner.Message())
	if err != nil {
		return err
	}
	p.wrapped = &wrapping{field: inner, inner: innerPlan}
	fields := p.descriptor.Fields()
	for i := range fields.Len() {
		outer := fields.Get(i)
		if outer == inner {
			continue
		}
		same := inner.Message().Fields().ByName(outer.Name())
		if same == nil || same.Kind() != outer.Kind() {
			return fmt.Errorf("%s is not said by the message inside", outer.FullName())
		}
		p.wrapped.echoes = append(p.wrapped.echoes, [2]protoreflect.FieldDescriptor{outer, same})
	}
	return nil
}

// addField adds the key of a field, or the two keys of the name of a ref.
func (c *compiler) addField(p *plan, field protoreflect.FieldDescriptor) error {
	m := member{key: string(field.Name()), field: field, list: field.IsList(), twin: -1}
	m.presence = field.HasPresence()
	if m.list {
		m.limit = listLimit(field.FullName())
	}
	if err := c.shape(&m, field); err != nil {
		return err
	}
	key, main, twin := twinKey(field.Name())
	if key == "" || field.Kind() != protoreflect.BytesKind {
		p.add(m)
		return nil
	}
	if m.list || m.presence {
		return fmt.Errorf("%s: the name of a ref is neither a list nor optional", field.FullName())
	}
	at := len(p.members)
	second := m
	m.form, m.twin = main, at+1
	second.key, second.form, second.twin = key, twin, at
	p.add(m)
	p.add(second)
	return nil
}

// shape decides the form of a field.
func (c *compiler) shape(m *member, field protoreflect.FieldDescriptor) (err error) {
	if field.IsMap() {
		return fmt.Errorf("%s is a map", field.FullName())
	}
	switch field.Kind() {
	case protoreflect.StringKind:
		m.form = Text
	case protoreflect.BytesKind:
		m.form = bytesForm(field.Name())
	case protoreflect.Uint32Kind:
		m.form = Number
	case protoreflect.Uint64Kind:
		m.form = Decimal
	case protoreflect.BoolKind:
		m.form = Boolean
	case protoreflect.EnumKind:
		m.form = enumForm(field.Enum().FullName())
		m.words, err = newVocabulary(field.Enum())
	case protoreflect.MessageKind:
		m.form = Object
		m.message, err = c.compile(field.Message())
	default:
		return fmt.Errorf("%s is of kind %s, which has no form", field.FullName(), field.Kind())
	}
	return err
}

// addBody adds the key that stands for all bodies a message may have, by its type.
func (c *compiler) addBody(p *plan) error {
	kind := p.descriptor.Fields().ByName("type")
	if kind == nil || kind.Enum() == nil {
		return fmt.Errorf("%s has no type", p.descriptor.FullName())
	}
	words, err := newVocabulary(kind.Enum())
	if err != nil {
		return err
	}
	oneof := p.descriptor.Oneofs().ByName("body")
	m := member{key: "body", form: Body, presence: true, twin: -1, words: words}
	m.bodies = &bodies{kind: kind, kindMember: p.names[string(kind.Name())], oneof: oneof, byType: make([]body, len(words.words))}
	for number, word := range words.words[1:] {
		field := p.descriptor.Fields().ByName(protoreflect.Name(word))
		if field == nil || field.Message() == nil || field.ContainingOneof() != oneof {
			return fmt.Errorf("%s has no body for the type %s", p.descriptor.FullName(), word)
		}
		inner, err := c.compile(field.Message())
		if err != nil {
			return err
		}
		m.bodies.byType[number+1] = body{field: field, plan: inner}
	}
	p.add(m)
	return nil
}

func (p *plan) add(m member) {
	m.lead = `"` + m.key + `":`
	p.names[m.key] = len(p.members)
	p.members = append(p.members, m)
}
