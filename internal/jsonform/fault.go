package jsonform

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Fault is one thing that is wrong with a document.
type Fault struct {
	Place string // such as messages[3].data.body.commits[0].hash; empty for the whole document
	Text  string // what is wrong there and what was wanted
}

func (f Fault) String() string {
	if f.Place == "" {
		return f.Text
	}
	return f.Place + ": " + f.Text
}

// Error is what is wrong with a document that was read, or with a message that cannot be written.
type Error struct {
	// Syntax says that the document is not JSON at all, or too deep; then there is one fault. Otherwise it is JSON,
	// but not of the message that was wanted.
	Syntax bool
	Faults []Fault
}

// Error tells the first fault, and how many there are besides.
func (e *Error) Error() string {
	first := e.Faults[0].String()
	if more := len(e.Faults) - 1; more > 0 {
		return fmt.Sprintf("%s (and %d more)", first, more)
	}
	return first
}

// step is one part of a place: a key or, without one, an index.
type step struct {
	key   string
	index int
}

// maxKeyShown is how much of a key that no message has is repeated in a fault.
const maxKeyShown = 40

// placeOf writes a place the way a programmer would reach it.
func placeOf(steps []step) string {
	var place strings.Builder
	for _, s := range steps {
		switch {
		case s.key == "" && s.index >= 0:
			fmt.Fprintf(&place, "[%d]", s.index)
		case isName(s.key):
			if place.Len() > 0 {
				place.WriteByte('.')
			}
			place.WriteString(s.key)
		default:
			fmt.Fprintf(&place, "[%s]", quoteShort(s.key))
		}
	}
	return place.String()
}

// isName says whether a key can stand in a place as it is.
func isName(key string) bool {
	for _, c := range key {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return key != "" && len(key) <= maxKeyShown
}

// quoteShort quotes the beginning of a text from outside.
func quoteShort(text string) string {
	if len(text) > maxKeyShown {
		return strconv.QuoteToASCII(text[:maxKeyShown]) + "..."
	}
	return strconv.QuoteToASCII(text)
}

// within puts the place of an error that came from writing one step further out.
func within(outer string, err error) error {
	var inner *Error
	if !errors.As(err, &inner) {
		return &Error{Faults: []Fault{{Place: outer, Text: err.Error()}}}
	}
	place := inner.Faults[0].Place
	if !strings.HasPrefix(place, "[") {
		place = "." + place
	}
	return &Error{Faults: []Fault{{Place: outer + place, Text: inner.Faults[0].Text}}}
}
