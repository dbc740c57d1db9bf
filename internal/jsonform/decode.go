package jsonform

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Unmarshal decodes a message from JSON and replaces its content. The error is an *Error unless m is nil. After an error
// the content of m is undefined.
func Unmarshal(data []byte, m proto.Message) error { return unmarshal(data, m, false) }

// UnmarshalRequest decodes a message like Unmarshal and also checks it against the published schema of requests: required
// keys, objects that must not be null, the fixed lengths of bytes, and enum values that are not absent. These errors are
// returned only if Unmarshal would succeed.
func UnmarshalRequest(data []byte, m proto.Message) error { return unmarshal(data, m, true) }

func unmarshal(data []byte, m proto.Message, isRequest bool) error {
	if m == nil || !m.ProtoReflect().IsValid() {
		return errNoMessage
	}
	proto.Reset(m)
	reflected := m.ProtoReflect()
	p, err := planOf(reflected.Descriptor())
	if err != nil {
		return err
	}
	r := reader{data: data, isRequest: isRequest}
	if r.message(p, reflected) {
		r.next()
		if r.at < len(r.data) {
			r.malformed("%s after the document", r.found())
		}
	}
	if len(r.errors) == 0 {
		r.errors = r.requestErrors
	}
	if len(r.errors) > 0 {
		return &Error{Syntax: r.syntax, Fields: r.errors}
	}
	return nil
}

// message decodes the object that represents a message.
func (r *reader) message(p *plan, m protoreflect.Message) bool {
	if p.wrapped == nil {
		return r.object(p, m)
	}
	inner := m.Mutable(p.wrapped.field).Message()
	if !r.message(p.wrapped.inner, inner) {
		return false
	}
	for _, repeated := range p.wrapped.repeated {
		m.Set(repeated[0], inner.Get(repeated[1]))
	}
	return true
}

// object is the state of decoding one object.
type object struct {
	plan    *plan
	message protoreflect.Message
	seen    uint64 // members that are present, null or not
	set     uint64 // members whose value was set
	body    int    // the offset of a body that precedes its type; 0 if there is none
}

func (r *reader) object(p *plan, m protoreflect.Message) bool {
	if r.next() != '{' {
		return r.unexpected("an object")
	}
	if r.objects++; r.objects > MaxObjects {
		r.invalid("the document has more than %d objects", MaxObjects)
		return false
	}
	o := object{plan: p, message: m}
	if !r.items('}', func(int) bool { return r.member(&o) }) || o.body != 0 && !r.postponedBody(&o) {
		return false
	}
	for i := range p.members {
		if p.members[i].required && o.seen&(1<<i) == 0 {
			r.invalidRequest("the key %q is required", p.members[i].key)
		}
	}
	return true
}

// member decodes one key of an object and its value.
func (r *reader) member(o *object) bool {
	key, ok := r.key()
	if !ok {
		return false
	}
	i, exists := o.plan.names[string(key)]
	if !exists {
		r.path = append(r.path, step{key: string(key), index: -1})
		ok = r.invalid("is not a key of %s", o.plan.descriptor.Name()) && r.skip()
	} else {
		r.path = append(r.path, step{key: o.plan.members[i].key, index: -1})
		ok = r.memberValue(o, i)
	}
	r.path = r.path[:len(r.path)-1]
	return ok
}

func (r *reader) memberValue(o *object, i int) bool {
	m := &o.plan.members[i]
	bit := uint64(1) << i
	if o.seen&bit != 0 {
		return r.invalid("is given twice") && r.skip()
	}
	o.seen |= bit
	if r.next() == 'n' {
		if m.form == Object && !m.list || m.form == Body || m.required && (m.list || m.enum != nil) {
			r.invalidRequest("must not be null")
		}
		return r.literal("null")
	}
	switch {
	case m.form == Body:
		return r.body(o, m)
	case m.list:
		return r.list(m, o.message)
	}
	if oneof := m.field.ContainingOneof(); oneof != nil && !oneof.IsSynthetic() {
		if other := o.message.WhichOneof(oneof); other != nil {
			return r.invalid("must not be combined with %s", other.Name()) && r.skip()
		}
	}
	if m.form == Object {
		return r.message(m.message, o.message.Mutable(m.field).Message())
	}
	value, valid, ok := r.value(m)
	if !valid {
		return ok
	}
	if m.twin >= 0 && o.set&(1<<m.twin) != 0 && !value.Equal(o.message.Get(m.field)) {
		return r.invalid("is not the same name as %s", o.plan.members[m.twin].key)
	}
	o.set |= bit
	o.message.Set(m.field, value)
	return true
}

// list decodes a list. Its items must not be null.
func (r *reader) list(m *member, into protoreflect.Message) bool {
	if r.next() != '[' {
		return r.unexpected("a list")
	}
	list := into.Mutable(m.field).List()
	ok := r.items(']', func(i int) bool {
		r.path = append(r.path, step{index: i})
		ok := r.item(m, list, i)
		r.path = r.path[:len(r.path)-1]
		return ok
	})
	if ok && list.Len() < m.minItems {
		r.invalidRequest("has %d items, want at least %d", list.Len(), m.minItems)
	}
	return ok
}

func (r *reader) item(m *member, list protoreflect.List, i int) bool {
	switch {
	case i == m.maxItems:
		return r.invalid("exceeds the limit of %d items", m.maxItems) && r.skip()
	case i > m.maxItems:
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

// body decodes the body of a message. If its type has not been decoded yet, the body is skipped and decoded at the end of
// the object.
func (r *reader) body(o *object, m *member) bool {
	number := o.message.Get(m.bodies.typeField).Enum()
	if o.seen&(1<<m.bodies.typeMember) == 0 {
		r.next()
		o.body = r.at
		return r.skip()
	}
	if number == 0 {
		return r.invalid("has no type") && r.skip()
	}
	selected := m.bodies.byType[number]
	return r.message(selected.plan, o.message.Mutable(selected.field).Message())
}

// postponedBody decodes a body that precedes its type.
func (r *reader) postponedBody(o *object) bool {
	end, seen := r.at, o.seen
	r.at = o.body
	m := &o.plan.members[o.plan.names["body"]]
	o.seen |= 1 << m.bodies.typeMember // the type cannot follow any more
	r.depth++
	r.path = append(r.path, step{key: m.key, index: -1})
	ok := r.body(o, m)
	r.path = r.path[:len(r.path)-1]
	r.depth--
	o.seen = seen
	if ok {
		r.at = end
	}
	return ok
}

// value decodes a value that is not a message. valid is false after an error.
func (r *reader) value(m *member) (value protoreflect.Value, valid, ok bool) {
	switch m.form {
	case Number:
		number, valid, ok := r.integer("a whole number from 0 to 4294967295", math.MaxUint32)
		return protoreflect.ValueOfUint32(uint32(number)), valid, ok
	case EnumNumber:
		number, valid, ok := r.integer(fmt.Sprintf("a number from %d to %d", m.enum.first(), len(m.enum.names)-1), uint64(len(m.enum.names)-1))
		if valid && (number < uint64(m.enum.first()) || !m.enum.has(protoreflect.EnumNumber(number))) {
			r.invalidRequest("must not be %d", number)
		}
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(number)), valid, ok
	case Boolean:
		switch r.next() {
		case 't':
			ok = r.literal("true")
			return protoreflect.ValueOfBool(true), ok, ok
		case 'f':
			ok = r.literal("false")
			return protoreflect.ValueOfBool(false), ok, ok
		default:
			return value, false, r.unexpected("true or false")
		}
	}
	if r.next() != '"' {
		return value, false, r.unexpected(expected(m))
	}
	text, ok := r.str()
	if !ok {
		return value, false, false
	}
	value, valid = r.fromText(m, text)
	if !valid {
		return value, false, r.invalid("is %s, want %s", quoteShort(string(text)), expected(m))
	}
	return value, true, true
}

// fromText converts a string to a value of a form.
func (r *reader) fromText(m *member, text []byte) (value protoreflect.Value, valid bool) {
	switch m.form {
	case Text:
		return protoreflect.ValueOfString(string(text)), true
	case RefText:
		return protoreflect.ValueOfBytes(append([]byte{}, text...)), true
	case Decimal:
		number, valid := parseDecimal(string(text))
		return protoreflect.ValueOfUint64(number), valid
	case EnumName:
		number, valid := m.enum.numbers[string(text)]
		if valid && int(number) < m.enum.first() {
			r.invalidRequest("is %s, want %s", quoteShort(string(text)), expected(m))
		}
		return protoreflect.ValueOfEnum(number), valid
	default:
		raw, valid := parseHex(text)
		if digits := bytes.TrimPrefix(text, []byte("0x")); m.size > 0 && valid && len(digits) != 2*m.size {
			r.invalidRequest("has %d hex digits, want %d", len(digits), 2*m.size)
		}
		return protoreflect.ValueOfBytes(raw), valid
	}
}

// expected describes the strings that a member may have.
func expected(m *member) string {
	switch m.form {
	case Text, RefText:
		return "a string"
	case Decimal:
		return "a whole number from 0 to 18446744073709551615 as a string, without leading zeros"
	case EnumName:
		return "one of " + strings.Join(m.enum.choices(), ", ")
	default:
		return "a string with an even number of hex digits"
	}
}

// parseDecimal parses a number without sign and leading zeros.
func parseDecimal(text string) (number uint64, valid bool) {
	number, err := strconv.ParseUint(text, 10, 64)
	return number, err == nil && (text[0] != '0' || len(text) == 1)
}

// parseHex parses hex in upper or lower case, with or without 0x. The result is never nil.
func parseHex(text []byte) (raw []byte, valid bool) {
	if len(text) >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text = text[2:]
	}
	raw = make([]byte, hex.DecodedLen(len(text)))
	_, err := hex.Decode(raw, text)
	return raw, err == nil
}

// integer decodes a number from 0 to a maximum.
func (r *reader) integer(want string, maximum uint64) (number uint64, valid, ok bool) {
	if r.kind() != "a number" {
		return 0, false, r.unexpected(want)
	}
	raw, ok := r.number()
	if !ok {
		return 0, false, false
	}
	text := string(raw)
	if number, valid = parseDecimal(text); valid && number <= maximum {
		return number, true, true
	}
	if len(text) > maxKeyShown {
		text = text[:maxKeyShown] + "..."
	}
	return 0, false, r.invalid("is %s, want %s", text, want)
}
