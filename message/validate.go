package message

import (
	"fmt"
	"unicode"

	"makechain/internal/ident"
)

// Validate checks everything that needs no state (P5): sizes, characters, known enum values, and the parts of
// P1 and P4 that the message alone decides. The refusal names the first field that breaks its bound.
func (e *Envelope) Validate() *Refusal {
	if e.Data.GetTimestamp() == 0 {
		return Invalid("timestamp", "0, at least 1")
	}
	f := fields{Envelope: e}
	e.kind().check(&f, e.Data)
	return f.refusal
}

// fields checks the fields of a body one by one and keeps the first refusal. Paths are put together only when
// something is refused, so that a good message costs no allocation.
type fields struct {
	*Envelope
	refusal *Refusal

	// The element of a list that is being checked; list is empty outside of lists.
	list  string
	index int
}

// refuse keeps a refusal of a field of the body.
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

// element makes the checks that follow speak of an element of a list, so lists come last in a body's checks.
func (f *fields) element(list string, index int) { f.list, f.index = list, index }

// size needs length to lie between two bounds.
func (f *fields) size(name string, length, atLeast, atMost int) {
	switch {
	case length < atLeast:
		f.refuse(name, "%d bytes, at least %d", length, atLeast)
	case length > atMost:
		f.refuse(name, "%d bytes, at most %d", length, atMost)
	}
}

// count needs the number of elements of a list to lie between two bounds.
func (f *fields) count(name string, number, atLeast, atMost int) {
	switch {
	case number < atLeast:
		f.refuse(name, "%d elements, at least %d", number, atLeast)
	case number > atMost:
		f.refuse(name, "%d elements, at most %d", number, atMost)
	}
}

// exactly needs a field of a fixed size.
func (f *fields) exactly(name string, value []byte, want int) {
	if len(value) != want {
		f.refuse(name, "%d bytes, want %d", len(value), want)
	}
}

// hash needs a hash, an id or a key.
func (f *fields) hash(name string, value []byte) { f.exactly(name, value, ident.HashSize) }

// optionalHash needs a hash or nothing.
func (f *fields) optionalHash(name string, value []byte) {
	if len(value) != 0 && len(value) != ident.HashSize {
		f.refuse(name, "%d bytes, want 0 or %d", len(value), ident.HashSize)
	}
}

// address needs the address of an account or the id of a custody key.
func (f *fields) address(name string, value []byte) { f.exactly(name, value, ident.AddressSize) }

// known needs a number that the enum has a name for.
func (f *fields) known(name string, number int32, names map[int32]string) {
	if _, ok := names[number]; !ok {
		f.refuse(name, "%d is not a known value", number)
	}
}

// set needs a known number other than 0, for enums whose 0 means nothing.
func (f *fields) set(name string, number int32, names map[int32]string) {
	if number == 0 {
		f.refuse(name, "not set")
	}
	f.known(name, number, names)
}

// noControl needs text without control characters: the Unicode category Cc, which is C0, DEL and C1.
func (f *fields) noControl(name, text string) {
	for i, r := range text {
		if unicode.IsControl(r) {
			f.refuse(name, "control character %U at byte %d", r, i)
			return
		}
	}
}

// unique needs a value that the list has not had before. Values of another size than 32 bytes are refused
// elsewhere.
func (f *fields) unique(name string, value []byte, seen map[Hash]struct{}) {
	h, ok := ident.HashFrom(value)
	if _, again := seen[h]; ok && again {
		f.refuse(name, "%s is there twice", h)
	}
	seen[h] = struct{}{}
}
