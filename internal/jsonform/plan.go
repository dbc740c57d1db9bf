package jsonform

import (
	"fmt"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
)

// plan describes how one message is encoded and decoded.
type plan struct {
	descriptor protoreflect.MessageDescriptor
	wrapped    *wrapping // for a response that is represented by the message inside it
	members    []member  // the keys of the object, in order
	names      map[string]int
}

// wrapping describes a response that is represented by the message inside it.
type wrapping struct {
	field protoreflect.FieldDescriptor
	inner *plan
	// repeated are the other fields of the response, each with the field of the message that it repeats.
	repeated [][2]protoreflect.FieldDescriptor
}

// member is one key of an object.
type member struct {
	key      string
	prefix   string // the encoded key with its colon
	form     Form
	field    protoreflect.FieldDescriptor // nil for the body
	list     bool
	presence bool // the schema distinguishes absent from empty
	required bool // in requests
	minItems int  // of a list in requests
	maxItems int  // of a list
	size     int  // the length of bytes in requests, 0 if it varies
	twin     int  // the member that represents the same field in another form, or -1
	message  *plan
	enum     *enumNames
	bodies   *bodies
}

// bodies are the bodies that a message may have, by its type.
type bodies struct {
	typeField  protoreflect.FieldDescriptor
	typeMember int // the index of the key of the type
	oneof      protoreflect.OneofDescriptor
	byType     []body // by the number of the type; zero has no body
}

// body is the body of a message of one type.
type body struct {
	field protoreflect.FieldDescriptor
	plan  *plan
}

// maxMembers is the number of keys of an object, so that a uint64 can record which are present.
const maxMembers = 64

// servicePlans are the plans of all messages of the service and of all rows. read-only: compiled once from the schema.
var servicePlans = sync.OnceValue(func() map[protoreflect.MessageDescriptor]*plan {
	c := compiler{plans: map[protoreflect.MessageDescriptor]*plan{}}
	services := pb.File_makechain_service_proto.Services()
	for i := range services.Len() {
		methods := services.Get(i).Methods()
		for j := range methods.Len() {
			c.mustCompile(methods.Get(j).Input())
			c.mustCompile(methods.Get(j).Output())
		}
	}
	rows := pb.File_makechain_state_proto.Messages()
	for i := range rows.Len() {
		c.mustCompile(rows.Get(i))
	}
	return c.plans
})

// planOf returns the plan of a message. The plan of a message outside of the service is compiled on each call.
func planOf(descriptor protoreflect.MessageDescriptor) (*plan, error) {
	if p := servicePlans()[descriptor]; p != nil {
		return p, nil
	}
	c := compiler{plans: map[protoreflect.MessageDescriptor]*plan{}}
	return c.compile(descriptor)
}

// compiler compiles plans, each message once.
type compiler struct {
	plans map[protoreflect.MessageDescriptor]*plan
}

// mustCompile panics if a message has no form, which depends only on the schema.
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

// wrap compiles a response that is represented by the message in one of its fields.
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
			return fmt.Errorf("%s does not repeat a field of the wrapped message", outer.FullName())
		}
		p.wrapped.repeated = append(p.wrapped.repeated, [2]protoreflect.FieldDescriptor{outer, same})
	}
	return nil
}

// addField adds the key of a field, or the two keys of a ref name.
func (c *compiler) addField(p *plan, field protoreflect.FieldDescriptor) error {
	m := member{
		key: string(field.Name()), field: field, list: field.IsList(), twin: -1,
		presence: field.HasPresence(), required: isRequired(field.FullName()),
	}
	if m.list {
		m.maxItems = listLimit(field.FullName())
	}
	if field.FullName() == batchMessages {
		m.minItems = 1
	}
	if err := c.setForm(&m, field); err != nil {
		return err
	}
	key, main, twin := twinKey(field.Name())
	if key == "" || field.Kind() != protoreflect.BytesKind {
		p.add(m)
		return nil
	}
	if m.list || m.presence {
		return fmt.Errorf("%s: a ref name must be neither a list nor optional", field.FullName())
	}
	at := len(p.members)
	second := m
	m.form, m.twin = main, at+1
	second.key, second.form, second.twin = key, twin, at
	p.add(m)
	p.add(second)
	return nil
}

// setForm sets the form of a field and the attributes that follow from it.
func (c *compiler) setForm(m *member, field protoreflect.FieldDescriptor) (err error) {
	if field.IsMap() {
		return fmt.Errorf("%s is a map", field.FullName())
	}
	switch field.Kind() {
	case protoreflect.StringKind:
		m.form = Text
	case protoreflect.BytesKind:
		m.form = bytesForm(field.Name())
		m.size = fixedSize(m.form, field)
	case protoreflect.Uint32Kind:
		m.form = Number
	case protoreflect.Uint64Kind:
		m.form = Decimal
	case protoreflect.BoolKind:
		m.form = Boolean
	case protoreflect.EnumKind:
		m.form = enumForm(field.Enum().FullName())
		m.enum, err = newEnumNames(field.Enum())
	case protoreflect.MessageKind:
		m.form = Object
		m.message, err = c.compile(field.Message())
	default:
		return fmt.Errorf("%s is of kind %s, which has no form", field.FullName(), field.Kind())
	}
	return err
}

// addBody adds the key of all bodies that a message may have.
func (c *compiler) addBody(p *plan) error {
	typeField := p.descriptor.Fields().ByName("type")
	if typeField == nil || typeField.Enum() == nil {
		return fmt.Errorf("%s has no type", p.descriptor.FullName())
	}
	enum, err := newEnumNames(typeField.Enum())
	if err != nil {
		return err
	}
	oneof := p.descriptor.Oneofs().ByName("body")
	m := member{key: "body", form: Body, presence: true, twin: -1, enum: enum}
	m.bodies = &bodies{typeField: typeField, typeMember: p.names[string(typeField.Name())], oneof: oneof, byType: make([]body, len(enum.names))}
	for number, name := range enum.names[1:] {
		field := p.descriptor.Fields().ByName(protoreflect.Name(name))
		if field == nil || field.Message() == nil || field.ContainingOneof() != oneof {
			return fmt.Errorf("%s has no body for the type %s", p.descriptor.FullName(), name)
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
	m.prefix = `"` + m.key + `":`
	p.names[m.key] = len(p.members)
	p.members = append(p.members, m)
}
