package jsonform

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Unmarshal reads a message from JSON, in place of what it held. The error is an *Error unless there is no message
// to read into; after an error the message is of no use.
func Unmarshal(data []byte, m proto.Message) error {
	if m == nil || !m.ProtoReflect().IsValid() {
		return errNoMessage
	}
	proto.Reset(m)
	reflected := m.ProtoReflect()
	p, err := planOf(reflected.Descriptor())
	if err != nil {
		return err
	}
	r := reader{data: data}
	if r.message(p, reflected) {
		r.end()
	}
	if len(r.faults) > 0 {
		return &Error{Syntax: r.syntax, Faults: r.faults}
	}
	return nil
}

// end notes whatever stands behind the document.
func (r *reader) end() {
	r.next()
	if r.at < len(r.data) {
		r.malformed("%s behind the document", r.found())
	}
}

// message reads the object that stands for a message.
func (r *reader) message(p *plan, m protoreflect.Message) bool {
	if p.wrapped == nil {
		return r.object(p, m)
	}
	inner := m.Mutable(p.wrapped.field).Message()
	if !r.message(p.wrapped.inner, inner) {
		return false
	}
	for _, echo := range p.wrapped.echoes {
		m.Set(echo[0], inner.Get(echo[1]))
	}
	return true
}

// object is the state of reading one object.
type object struct {
	plan    *plan
	message protoreflect.Message
	seen    uint64 // members that were there, null or not
	set     uint64 // members of which the value was taken
	body    int    // where a body begins that stands before its type; 0 for none
}

func (r *reader) object(p *plan, m protoreflect.Message) bool {
	if r.next() != '{' {
		return r.unwanted("an object")
	}
	if r.objects++; r.objects > MaxObjects {
		r.fault("the document has more than %d objects", MaxObjects)
		return false
	}
	o := object{plan: p, message: m}
	return r.items('}', func(int) bool { return r.member(&o) }) && (o.body == 0 || r.postponedBody(&o))
}

// member reads one key of an object and its value.
func (r *reader) member(o *object) bool {
	key, ok := r.key()
	if !ok {
		return false
	}
	i, known := o.plan.names[string(key)]
	if !known {
		r.place = append(r.place, step{key: string(key), index: -1})
		ok = r.fault("is not a key of %s", o.plan.descriptor.Name()) && r.skip()
	} else {
		r.place = append(r.place, step{key: o.plan.members[i].key, index: -1})
		ok = r.knownMember(o, i)
	}
	r.place = r.place[:len(r.place)-1]
	return ok
}

func (r *reader) knownMember(o *object, i int) bool {
	m := &o.plan.members[i]
	bit := uint64(1) << i
	if o.seen&bit != 0 {
		return r.fault("is there twice") && r.skip()
	}
	o.seen |= bit
	if r.next() == 'n' {
		return r.literal("null")
	}
	switch {
	case m.form == Body:
		return r.body(o, m)
	case m.list:
		return r.list(m, o.message)
	}
	if rival := o.rival(m); rival != "" {
		return r.fault("is there beside %s, want one of them", rival) && r.skip()
	}
	if m.form == Object {
		return r.message(m.message, o.message.Mutable(m.field).Message())
	}
	value, valid, ok := r.value(m)
	if !valid {
		return ok
	}
	if m.twin >= 0 && o.set&(1<<m.twin) != 0 && !value.Equal(o.message.Get(m.field)) {
		return r.fault("is another name than %s", o.plan.members[m.twin].key)
	}
	o.set |= bit
	o.message.Set(m.field, value)
	return true
}

// rival is the key of the oneof of a member that was set before it, if any.
func (o *object) rival(m *member) protoreflect.Name {
	oneof := m.field.ContainingOneof()
	if oneof == nil || oneof.IsSynthetic() {
		return ""
	}
	set := o.message.WhichOneof(oneof)
	if set == nil {
		return ""
	}
	return set.Name()
}

// list reads a list. A null in its place was nothing, but a null in it is a fault.
func (r *reader) list(m *member, into protoreflect.Message) bool {
	if r.next() != '[' {
		return r.unwanted("a list")
	}
	list := into.Mutable(m.field).List()
	return r.items(']', func(i int) bool {
		r.place = append(r.place, step{index: i})
		ok := r.item(m, list, i)
		r.place = r.place[:len(r.place)-1]
		return ok
	})
}

func (r *reader) item(m *member, list protoreflect.List, i int) bool {
	switch {
	case i == m.limit:
		return r.fault("is more than the %d that fit", m.limit) && r.skip()
	case i > m.limit:
		return r.skip()
	case m.form == Object:
		return r.message(m.message, list.AppendMutable().Message())
	}
	value, valid, ok := r.value(m)
	if valid {
		list.Append(value)
	}
	return ok
}

// body reads the body of a message once its type is known.
func (r *reader) body(o *object, m *member) bool {
	kind := o.message.Get(m.bodies.kind).Enum()
	if o.seen&(1<<m.bodies.kindMember) == 0 {
		r.next()
		o.body = r.at
		return r.skip()
	}
	if kind == 0 {
		return r.fault("has no type that says what it is") && r.skip()
	}
	chosen := m.bodies.byType[kind]
	return r.message(chosen.plan, o.message.Mutable(chosen.field).Message())
}

// postponedBody goes back to a body that stood before its type.
func (r *reader) postponedBody(o *object) bool {
	end := r.at
	r.at = o.body
	m := &o.plan.members[o.plan.names["body"]]
	o.seen |= 1 << m.bodies.kindMember
	r.depth++
	r.place = append(r.place, step{key: m.key, index: -1})
	ok := r.body(o, m)
	r.place = r.place[:len(r.place)-1]
	r.depth--
	if ok {
		r.at = end
	}
	return ok
}
