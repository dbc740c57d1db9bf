package jsonform

import (
	"bytes"
	"fmt"
	"strconv"
)

// reader scans a document and collects its errors. Methods with a boolean result "ok" return false when decoding must
// stop: after an error that makes the remaining document unreadable, or after MaxErrors.
type reader struct {
	data      []byte
	at        int // the offset of the next byte
	depth     int // of the current object or list
	objects   int
	path      []step
	syntax    bool
	errors    []FieldError
	isRequest bool

	// requestErrors are errors that only UnmarshalRequest returns, and only if there are no others.
	requestErrors []FieldError
}

// invalid adds an error at the current path. It returns false after MaxErrors.
func (r *reader) invalid(format string, args ...any) bool {
	r.errors = append(r.errors, FieldError{Path: formatPath(r.path), Message: fmt.Sprintf(format, args...)})
	return len(r.errors) < MaxErrors
}

// invalidRequest adds an error of a request at the current path.
func (r *reader) invalidRequest(format string, args ...any) {
	if r.isRequest && len(r.requestErrors) < MaxErrors {
		r.requestErrors = append(r.requestErrors, FieldError{Path: formatPath(r.path), Message: fmt.Sprintf(format, args...)})
	}
}

// malformed replaces all errors by the one that the document is not JSON. It returns false.
func (r *reader) malformed(format string, args ...any) bool {
	r.syntax, r.errors = true, nil
	r.invalid("not JSON at byte %d: %s", r.at, fmt.Sprintf(format, args...))
	return false
}

// next skips white space and returns the next byte without consuming it, or 0 at the end.
func (r *reader) next() byte {
	for r.at < len(r.data) {
		switch c := r.data[r.at]; c {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return c
		}
	}
	return 0
}

// items consumes an object or a list. It calls item for each item.
func (r *reader) items(end byte, item func(i int) bool) bool {
	if r.depth == MaxDepth {
		return r.malformed("deeper than %d objects and lists", MaxDepth)
	}
	r.depth++
	r.at++
	for i := 0; r.next() != end || i > 0; i++ {
		if !item(i) {
			return false
		}
		c := r.next()
		if c == end {
			break
		}
		if c != ',' {
			return r.malformed("%s, want a comma or %q", r.found(), end)
		}
		r.at++
	}
	r.depth--
	r.at++
	return true
}

// key consumes the key of an object and its colon.
func (r *reader) key() (key []byte, ok bool) {
	if r.next() != '"' {
		return nil, r.malformed("%s, want a key in quotes", r.found())
	}
	if key, ok = r.str(); !ok {
		return nil, false
	}
	if r.next() != ':' {
		return nil, r.malformed("%s, want a colon", r.found())
	}
	r.at++
	return key, true
}

// found describes the current byte, for an error.
func (r *reader) found() string {
	if r.at >= len(r.data) {
		return "the end"
	}
	return strconv.QuoteRuneToASCII(rune(r.data[r.at]))
}

// literal consumes true, false or null.
func (r *reader) literal(word string) bool {
	if !bytes.HasPrefix(r.data[r.at:], []byte(word)) {
		return r.malformed("%s, want a value", r.found())
	}
	r.at += len(word)
	return true
}

// number consumes a number and returns its text.
func (r *reader) number() (text []byte, ok bool) {
	start := r.at
	if r.peek() == '-' {
		r.at++
	}
	whole := r.digits()
	if whole == 0 || whole > 1 && r.data[r.at-whole] == '0' {
		return nil, r.malformed("a number starts with a digit, and with 0 only if there is no other")
	}
	if r.peek() == '.' {
		r.at++
		if r.digits() == 0 {
			return nil, r.malformed("%s, want a digit", r.found())
		}
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.at++
		if c := r.peek(); c == '+' || c == '-' {
			r.at++
		}
		if r.digits() == 0 {
			return nil, r.malformed("%s, want a digit", r.found())
		}
	}
	return r.data[start:r.at], true
}

// peek returns the next byte, or 0 at the end.
func (r *reader) peek() byte {
	if r.at < len(r.data) {
		return r.data[r.at]
	}
	return 0
}

// digits consumes digits and returns their number.
func (r *reader) digits() (count int) {
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.at++
		count++
	}
	return count
}

// skip consumes a value without decoding it.
func (r *reader) skip() bool {
	switch c := r.next(); c {
	case '{':
		return r.items('}', func(int) bool {
			_, ok := r.key()
			return ok && r.skip()
		})
	case '[':
		return r.items(']', func(int) bool { return r.skip() })
	case '"':
		_, ok := r.str()
		return ok
	case 't':
		return r.literal("true")
	case 'f':
		return r.literal("false")
	case 'n':
		return r.literal("null")
	default:
		if c != '-' && (c < '0' || c > '9') {
			return r.malformed("%s, want a value", r.found())
		}
		_, ok := r.number()
		return ok
	}
}

// kind describes the next value, for an error.
func (r *reader) kind() string {
	switch r.next() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// unexpected adds an error about a value of another kind than wanted, and skips the value.
func (r *reader) unexpected(want string) bool {
	return r.invalid("is %s, want %s", r.kind(), want) && r.skip()
}
