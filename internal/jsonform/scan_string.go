package jsonform

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// str consumes a string and returns its content, which may be a slice of the document.
func (r *reader) str() (text []byte, ok bool) {
	r.at++
	start := r.at
	for r.at < len(r.data) {
		switch c := r.data[r.at]; {
		case c == '"':
			text = r.data[start:r.at]
			if !utf8.Valid(text) {
				return nil, r.malformed("a string that is not UTF-8")
			}
			r.at++
			return text, true
		case c == '\\':
			return r.escaped(start)
		case c < ' ':
			return nil, r.malformed("%s in a string", r.found())
		default:
			r.at++
		}
	}
	return nil, r.malformed("%s, want the end of a string", r.found())
}

// escaped consumes the remainder of a string that started at start, from its first escape on.
func (r *reader) escaped(start int) (text []byte, ok bool) {
	text = append(text, r.data[start:r.at]...)
	for r.at < len(r.data) {
		switch c := r.data[r.at]; {
		case c == '"':
			if !utf8.Valid(text) {
				return nil, r.malformed("a string that is not UTF-8")
			}
			r.at++
			return text, true
		case c == '\\':
			if text, ok = r.escape(text); !ok {
				return nil, false
			}
		case c < ' ':
			return nil, r.malformed("%s in a string", r.found())
		default:
			text = append(text, c)
			r.at++
		}
	}
	return nil, r.malformed("%s, want the end of a string", r.found())
}

// escape consumes an escape sequence and appends the character it represents.
func (r *reader) escape(text []byte) ([]byte, bool) {
	r.at++
	switch c := r.peek(); c {
	case '"', '\\', '/':
		text = append(text, c)
	case 'b':
		text = append(text, '\b')
	case 'f':
		text = append(text, '\f')
	case 'n':
		text = append(text, '\n')
	case 'r':
		text = append(text, '\r')
	case 't':
		text = append(text, '\t')
	case 'u':
		return r.escapedRune(text)
	default:
		return nil, r.malformed("%s after a backslash", r.found())
	}
	r.at++
	return text, true
}

// escapedRune consumes a \u escape, or two that form a surrogate pair.
func (r *reader) escapedRune(text []byte) ([]byte, bool) {
	first, ok := r.fourDigits()
	if !ok {
		return nil, false
	}
	if !utf16.IsSurrogate(first) {
		return utf8.AppendRune(text, first), true
	}
	if !bytes.HasPrefix(r.data[r.at:], []byte(`\u`)) {
		return nil, r.malformed("an incomplete surrogate pair")
	}
	r.at++
	second, ok := r.fourDigits()
	if !ok {
		return nil, false
	}
	whole := utf16.DecodeRune(first, second)
	if whole == utf8.RuneError {
		return nil, r.malformed("an incomplete surrogate pair")
	}
	return utf8.AppendRune(text, whole), true
}

// fourDigits consumes the u of an escape and its four hex digits.
func (r *reader) fourDigits() (rune, bool) {
	r.at++
	if r.at+4 > len(r.data) {
		return 0, r.malformed("want four hex digits")
	}
	code, err := strconv.ParseUint(string(r.data[r.at:r.at+4]), 16, 16)
	if err != nil {
		return 0, r.malformed("want four hex digits")
	}
	r.at += 4
	return rune(code), true
}
