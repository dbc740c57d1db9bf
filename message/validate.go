package message

import (
	"fmt"
	"unicode"

	"makechain/internal/ident"
)

// Validate checks the rules that need no state (P5): sizes, characters, known enum values, and the parts of P1 and P4
// that depend on the message only. The refusal names the first field that violates its limit.
func (e *Envelope) Validate() *Refusal {
	if e.Data.GetTimestamp() == 0 {
		return Invalid("timestamp", "0, at least 1")
	}
	f := fields{Envelope: e}
	e.kind().check(&f, e.Data)
	return f.refusal
}

// fields checks the fields of a body one by one and keeps the first refusal. It formats paths only for a refusal, so
// that a valid message causes no allocation.
type fields struct {
	*Envelope
	refusal *Refusal

	// The list element that is being checked; list is empty outside of lists.
	list  string
	index int
}

// refuse records a refusal of a field of the body, unless there is one already.
func (f *fields) refuse(name, format string, args ...any) {
	if f.refusal != nil {
		return
	}
	path := bodyName(f.Type())
	if f.list != "" {
		path = fmt.Sprintf("%s.%s[%d]", path, f.list, f.index)
	}
	if name != "" {
		path += "." + name
	}
	f.refusal = Invalid(path, format, args...)
}

// element makes the following checks refer to an element of a list. Lists are therefore checked last.
func (f *fields) element(list string, index int) { f.list, f.index = list, index }

// size requires a length between two bounds.
func (f *fields) size(name string, length, atLeast, atMost int) {
	switch {
	case length < atLeast:
		f.refuse(name, "%d bytes, at least %d", length, atLeast)
	case length > atMost:
		f.refuse(name, "%d bytes, at most %d", length, atMost)
	}
}

// count requires a number of list elements between two bounds.
func (f *fields) count(name string, number, atLeast, atMost int) {
	switch {
	case number < atLeast:
		f.refuse(name, "%d elements, at least %d", number, atLeast)
	case number > atMost:
		f.refuse(name, "%d elements, at most %d", number, atMost)
	}
}

// exactly requires a field of a fixed size.
func (f *fields) exactly(name string, value []byte, want int) {
	if len(value) != want {
		f.refuse(name, "%d bytes, want %d", len(value), want)
	}
}

// hash requires the size of a hash, an id or a key.
func (f *fields) hash(name string, value []byte) { f.exactly(name, value, ident.HashSize) }

// publicKey requires an Ed25519 key that is not of small order.
func (f *fields) publicKey(name string, value []byte) {
	f.exactly(name, value, ident.PublicKeySize)
	if key, ok := ident.PublicKeyFrom(value); ok && key.SmallOrder() {
		f.refuse(name, "%s is a key of small order", key)
	}
}

// optionalHash requires the size of a hash, or an empty field.
func (f *fields) optionalHash(name string, value []byte) {
	if len(value) != 0 && len(value) != ident.HashSize {
		f.refuse(name, "%d bytes, want 0 or %d", len(value), ident.HashSize)
	}
}

// address requires the size of an owner address or a custody key id.
func (f *fields) address(name string, value []byte) { f.exactly(name, value, ident.AddressSize) }

// known requires a value of the enum.
func (f *fields) known(name string, number int32, names map[int32]string) {
	if _, ok := names[number]; !ok {
		f.refuse(name, "%d is not a known value", number)
	}
}

// set requires a value of the enum other than 0, for enums whose 0 is unspecified.
func (f *fields) set(name string, number int32, names map[int32]string) {
	if number == 0 {
		f.refuse(name, "not set")
	}
	f.known(name, number, names)
}

// noControl requires text without control characters: the Unicode category Cc, which is C0, DEL and C1.
func (f *fields) noControl(name, text string) {
	for i, r := range text {
		if unicode.IsControl(r) {
			f.refuse(name, "control character %U at byte %d", r, i)
			return
		}
	}
}

// unique requires a value that is not in seen, and adds it. Other checks refuse values that are not 32 bytes long.
func (f *fields) unique(name string, value []byte, seen map[Hash]struct{}) {
	h, ok := ident.HashFrom(value)
	if _, again := seen[h]; ok && again {
		f.refuse(name, "%s is duplicated", h)
	}
	seen[h] = struct{}{}
}
