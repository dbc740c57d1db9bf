package jsonform

import (
	"bytes"
	"fmt"
	"strconv"
)

// reader walks a document from its beginning to its end and collects what is wrong with it. Its methods that
// return false have found the end of reading: a fault after which nothing can be understood, or too many.
type reader struct {
	data    []byte
	at      int // the next byte
	depth   int // of the object or list being read
	objects int
	place   []step
	syntax  bool
	faults  []Fault
}

// fault notes something wrong at the present place. It ends reading when enough was found.
func (r *reader) fault(format string, args ...any) bool {
	r.faults = append(r.faults, Fault{Place: placeOf(r.place), Text: fmt.Sprintf(format, args...)})
	return len(r.faults) < MaxFaults
}

// malformed notes that the document is not JSON, which outweighs whatever else is wrong with it.
func (r *reader) malformed(format string, args ...any) bool {
	r.syntax, r.faults = true, nil
	r.fault("not JSON at byte %d: %s", r.at, fmt.Sprintf(format, args...))
	return false
}

// next skips white space and gives the byte behind it without taking it; 0 at the end.
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

// items takes an object or a list: its opening bracket, each item as told, and the closing one.
func (r *reader) items(end byte, item func(i int) bool) bool {
	if r.depth == MaxDepth {
		return r.malformed("deeper than %d objects and lists", MaxDepth)
	}
	r.depth++
	r.at++
	another, ok := r.next() != end, true
	for i := 0; another && ok; i++ {
		if !item(i) {
			return false
		}
		another, ok = r.more(end)
	}
	if !ok {
		return false
	}
	r.depth--
	r.at++
	return true
}

// more comes behind an item. It takes the comma, and says whether another item follows.
func (r *reader) more(end byte) (another, ok bool) {
	switch c := r.next(); c {
	case end:
		return false, true
	case ',':
		r.at++
		return true, true
	default:
		return false, r.malformed("%s, want a comma or %q", r.found(), end)
	}
}

// key takes the key of an object and its colon.
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

// found names the byte that reading is at.
func (r *reader) found() string {
	if r.at >= len(r.data) {
		return "the end"
	}
	return strconv.QuoteRuneToASCII(rune(r.data[r.at]))
}

// literal takes one of the three words of JSON.
func (r *reader) literal(word string) bool {
	if !bytes.HasPrefix(r.data[r.at:], []byte(word)) {
		return r.malformed("%s, want a value", r.found())
	}
	r.at += len(word)
	return true
}

// number takes a number as it is written.
func (r *reader) number() (text []byte, ok bool) {
	start := r.at
	if r.peek() == '-' {
		r.at++
	}
	whole := r.digits()
	if whole == 0 || whole > 1 && r.data[r.at-whole] == '0' {
		return nil, r.malformed("a number begins with a digit, and with 0 only if that is all")
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

// peek gives the next byte; 0 at the end.
func (r *reader) peek() byte {
	if r.at < len(r.data) {
		return r.data[r.at]
	}
	return 0
}

// digits takes what digits there are.
func (r *reader) digits() (count int) {
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.at++
		count++
	}
	return count
}
