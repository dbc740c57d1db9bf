package jsonform

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// value reads a value that is no message. It is valid unless a fault was noted.
func (r *reader) value(m *member) (value protoreflect.Value, valid, ok bool) {
	switch m.form {
	case Number:
		return r.uint32()
	case Boolean:
		return r.boolean()
	case Code:
		return r.code(m.words)
	}
	if r.next() != '"' {
		return value, false, r.unwanted(wanted(m))
	}
	text, ok := r.str()
	if !ok {
		return value, false, false
	}
	value, valid = fromText(m, text)
	if !valid {
		return value, false, r.fault("is %s, want %s", quoteShort(string(text)), wanted(m))
	}
	return value, true, true
}

// fromText makes a value of a string, if it is one of its form.
func fromText(m *member, text []byte) (value protoreflect.Value, valid bool) {
	switch m.form {
	case Text:
		return protoreflect.ValueOfString(string(text)), true
	case RefText:
		return protoreflect.ValueOfBytes(append([]byte{}, text...)), true
	case Decimal:
		number, valid := parseDecimal(string(text))
		return protoreflect.ValueOfUint64(number), valid
	case Word:
		number, valid := m.words.numbers[string(text)]
		return protoreflect.ValueOfEnum(number), valid
	default:
		raw, valid := parseHex(text)
		return protoreflect.ValueOfBytes(raw), valid
	}
}

// wanted says what a string must hold, for a fault about it.
func wanted(m *member) string {
	switch m.form {
	case Text, RefText:
		return "a string"
	case Decimal:
		return "a whole number from 0 to 18446744073709551615 as a string, without leading zeros"
	case Word:
		return "one of the words " + strings.Join(m.words.choices(), ", ")
	default:
		return "bytes as a string of hex digits, two for each"
	}
}

// parseDecimal reads a number in the only way it is written.
func parseDecimal(text string) (number uint64, valid bool) {
	number, err := strconv.ParseUint(text, 10, 64)
	return number, err == nil && (text[0] != '0' || len(text) == 1)
}

// parseHex reads hex, with or without its prefix and in any case. The result is never nil.
func parseHex(text []byte) (raw []byte, valid bool) {
	if len(text) >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text = text[2:]
	}
	raw = make([]byte, hex.DecodedLen(len(text)))
	_, err := hex.Decode(raw, text)
	return raw, err == nil
}

func (r *reader) uint32() (value protoreflect.Value, valid, ok bool) {
	const want = "a whole number from 0 to 4294967295"
	text, isNumber, ok := r.numeral(want)
	if !isNumber {
		return value, false, ok
	}
	number, valid := parseDecimal(text)
	if !valid || number > math.MaxUint32 {
		return value, false, r.fault("is %s, want %s", shortened(text), want)
	}
	return protoreflect.ValueOfUint32(uint32(number)), true, true
}

// code reads an enum that is written as a number.
func (r *reader) code(words *vocabulary) (value protoreflect.Value, valid, ok bool) {
	want := fmt.Sprintf("a number from %d to %d", words.first(), len(words.words)-1)
	text, isNumber, ok := r.numeral(want)
	if !isNumber {
		return value, false, ok
	}
	number, valid := parseDecimal(text)
	if !valid || number >= uint64(len(words.words)) {
		return value, false, r.fault("is %s, want %s", shortened(text), want)
	}
	return protoreflect.ValueOfEnum(protoreflect.EnumNumber(number)), true, true
}

// numeral takes the text of a number. Anything else is a fault.
func (r *reader) numeral(want string) (text string, isNumber, ok bool) {
	if r.kind() != "a number" {
		return "", false, r.unwanted(want)
	}
	raw, ok := r.number()
	return string(raw), ok, ok
}

// shortened is the beginning of a number from outside.
func shortened(text string) string {
	if len(text) > maxKeyShown {
		return text[:maxKeyShown] + "..."
	}
	return text
}

func (r *reader) boolean() (value protoreflect.Value, valid, ok bool) {
	switch r.next() {
	case 't':
		ok = r.literal("true")
		return protoreflect.ValueOfBool(true), ok, ok
	case 'f':
		ok = r.literal("false")
		return protoreflect.ValueOfBool(false), ok, ok
	default:
		return value, false, r.unwanted("true or false")
	}
}
