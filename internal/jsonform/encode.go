package jsonform

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"makechain/internal/ident"
)

// errNoMessage is returned for a nil message.
var errNoMessage = errors.New("no message")

// Marshal encodes a message as JSON in one line. It fails only for messages that no node returns: with text that is not
// UTF-8, an enum value outside of the schema, a body of another type, or a response without its wrapped message.
func Marshal(m proto.Message) ([]byte, error) { return Append(nil, m) }

// Append appends the JSON encoding of a message to b. After an error the result is undefined.
func Append(b []byte, m proto.Message) ([]byte, error) {
	if m == nil || !m.ProtoReflect().IsValid() {
		return b, errNoMessage
	}
	reflected := m.ProtoReflect()
	p, err := planOf(reflected.Descriptor())
	if err != nil {
		return b, err
	}
	return p.append(b, reflected)
}

func (p *plan) append(b []byte, m protoreflect.Message) ([]byte, error) {
	if p.wrapped != nil {
		return p.wrapped.append(b, m)
	}
	b = append(b, '{')
	var err error
	for i := range p.members {
		if i > 0 {
			b = append(b, ',')
		}
		member := &p.members[i]
		b = append(b, member.prefix...)
		if b, err = member.append(b, m); err != nil {
			return b, within(member.key, err)
		}
	}
	return append(b, '}'), nil
}

func (w *wrapping) append(b []byte, m protoreflect.Message) ([]byte, error) {
	if !m.Has(w.field) {
		return b, fmt.Errorf("the %s is missing", w.field.Name())
	}
	inner := m.Get(w.field).Message()
	for _, repeated := range w.repeated {
		if outside, inside := m.Get(repeated[0]), inner.Get(repeated[1]); !outside.Equal(inside) {
			return b, fmt.Errorf("the %s is %v inside and %v outside of the %s", repeated[0].Name(), inside, outside, w.field.Name())
		}
	}
	return w.inner.append(b, inner)
}

// append appends the value of a key.
func (m *member) append(b []byte, of protoreflect.Message) ([]byte, error) {
	switch {
	case m.form == Body:
		return m.appendBody(b, of)
	case m.list:
		return m.appendList(b, of.Get(m.field).List())
	case m.presence && !of.Has(m.field):
		return append(b, "null"...), nil
	}
	value := of.Get(m.field)
	if !m.presence && m.isNull(value) {
		return append(b, "null"...), nil
	}
	return m.appendValue(b, value)
}

// isNull reports whether an empty value, which the schema cannot distinguish from an absent one, is null.
func (m *member) isNull(value protoreflect.Value) bool {
	switch m.form {
	case Text:
		return value.String() == ""
	case RefText:
		return len(value.Bytes()) == 0 || !utf8.Valid(value.Bytes())
	case Hex, PrefixedHex, Address, ExternalAddress:
		return len(value.Bytes()) == 0
	case EnumName, EnumNumber:
		return m.enum.zeroIsAbsent && value.Enum() == 0
	default:
		return false
	}
}

func (m *member) appendList(b []byte, list protoreflect.List) ([]byte, error) {
	b = append(b, '[')
	var err error
	for i := range list.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = m.appendValue(b, list.Get(i)); err != nil {
			return b, within("["+strconv.Itoa(i)+"]", err)
		}
	}
	return append(b, ']'), nil
}

func (m *member) appendValue(b []byte, value protoreflect.Value) ([]byte, error) {
	switch m.form {
	case Text:
		return appendText(b, value.String())
	case RefText:
		return appendText(b, string(value.Bytes()))
	case Hex, Cursor:
		return appendHex(b, "", value.Bytes()), nil
	case PrefixedHex, Address:
		return appendHex(b, "0x", value.Bytes()), nil
	case ExternalAddress:
		if len(value.Bytes()) == ident.AddressSize {
			return appendHex(b, "0x", value.Bytes()), nil
		}
		return appendHex(b, "", value.Bytes()), nil
	case Number:
		return strconv.AppendUint(b, value.Uint(), 10), nil
	case Decimal:
		b = strconv.AppendUint(append(b, '"'), value.Uint(), 10)
		return append(b, '"'), nil
	case Boolean:
		return strconv.AppendBool(b, value.Bool()), nil
	case EnumName, EnumNumber:
		return m.appendEnum(b, value.Enum())
	default:
		return m.message.append(b, value.Message())
	}
}

func (m *member) appendEnum(b []byte, number protoreflect.EnumNumber) ([]byte, error) {
	if !m.enum.has(number) {
		return b, fmt.Errorf("%s has no value %d", m.field.Enum().Name(), number)
	}
	if m.form == EnumNumber {
		return strconv.AppendInt(b, int64(number), 10), nil
	}
	b = append(append(b, '"'), m.enum.names[number]...)
	return append(b, '"'), nil
}

// appendBody appends the body of a message, whose type is encoded before it.
func (m *member) appendBody(b []byte, of protoreflect.Message) ([]byte, error) {
	number := of.Get(m.bodies.typeField).Enum()
	set := of.WhichOneof(m.bodies.oneof)
	if set == nil {
		return append(b, "null"...), nil
	}
	if !m.enum.has(number) || m.bodies.byType[number].field != set {
		return b, fmt.Errorf("is the body of %s, which is not the type of the message", set.Name())
	}
	return m.bodies.byType[number].plan.append(b, of.Get(set).Message())
}

func appendHex(b []byte, prefix string, value []byte) []byte {
	b = append(append(b, '"'), prefix...)
	return append(hex.AppendEncode(b, value), '"')
}

// appendText appends a string. Only characters that JSON does not allow are escaped.
func appendText(b []byte, text string) ([]byte, error) {
	const digits = "0123456789abcdef"
	if !utf8.ValidString(text) {
		return b, errors.New("is not UTF-8")
	}
	b = append(b, '"')
	clean := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[clean:i]...)
		clean = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
		}
	}
	b = append(b, text[clean:]...)
	return append(b, '"'), nil
}
