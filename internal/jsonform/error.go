package jsonform

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// FieldError is an error at one path of a document.
type FieldError struct {
	Path    string // such as messages[3].data.body.commits[0].hash; empty for the whole document
	Message string // what is wrong, and what is expected
}

func (e FieldError) String() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// Error is returned for a document that cannot be decoded, or for a message that cannot be encoded.
type Error struct {
	// Syntax reports that the document is not JSON, or too deep; then there is one field error. Otherwise the document is
	// JSON, but does not represent the message.
	Syntax bool
	Fields []FieldError
}

// Error returns the first field error and the number of others.
func (e *Error) Error() string {
	first := e.Fields[0].String()
	if more := len(e.Fields) - 1; more > 0 {
		return fmt.Sprintf("%s (and %d more)", first, more)
	}
	return first
}

// step is one element of a path: a key or, if that is empty, an index.
type step struct {
	key   string
	index int
}

// maxKeyShown is the length to which keys and values of a document are shortened in errors.
const maxKeyShown = 40

// formatPath formats a path as in a programming language.
func formatPath(steps []step) string {
	var path strings.Builder
	for _, s := range steps {
		switch {
		case s.key == "" && s.index >= 0:
			fmt.Fprintf(&path, "[%d]", s.index)
		case isName(s.key):
			if path.Len() > 0 {
				path.WriteByte('.')
			}
			path.WriteString(s.key)
		default:
			fmt.Fprintf(&path, "[%s]", quoteShort(s.key))
		}
	}
	return path.String()
}

// isName reports whether a key needs no quotes in a path.
func isName(key string) bool {
	for _, c := range key {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return key != "" && len(key) <= maxKeyShown
}

// quoteShort quotes the beginning of a text.
func quoteShort(text string) string {
	if len(text) > maxKeyShown {
		return strconv.QuoteToASCII(text[:maxKeyShown]) + "..."
	}
	return strconv.QuoteToASCII(text)
}

// within prepends a key or index to the path of an encoding error.
func within(outer string, err error) error {
	var inner *Error
	if !errors.As(err, &inner) {
		return &Error{Fields: []FieldError{{Path: outer, Message: err.Error()}}}
	}
	path := inner.Fields[0].Path
	if !strings.HasPrefix(path, "[") {
		path = "." + path
	}
	return &Error{Fields: []FieldError{{Path: outer + path, Message: inner.Fields[0].Message}}}
}
