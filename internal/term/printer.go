// Package term prints for people: aligned tables and facts, short ids, relative times, and a progress line.
//
// Untrusted text cannot move the cursor or change colours, because Text escapes control characters. Colour is used on
// terminals only, and never when NO_COLOR is set. The first write error is kept and returned by Err.
package term

import (
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// ShortDigits is the number of hex digits of a short id. Commands accept short ids as arguments.
const ShortDigits = 8

// Printer prints lines for people.
type Printer struct {
	out    io.Writer
	err    error
	now    time.Time
	full   bool
	colour bool
}

// Options configure a Printer.
type Options struct {
	Full   bool      // print ids and times in full
	Colour bool      // see Colourful
	Now    time.Time // the time that relative times refer to
}

// New returns a printer that writes to out.
func New(out io.Writer, options Options) *Printer {
	return &Printer{out: out, now: options.Now, full: options.Full, colour: options.Colour}
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	file, isFile := stream.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// Colourful reports whether output to a stream should have colours: on a terminal, unless NO_COLOR is set.
func Colourful(stream any) bool { return os.Getenv("NO_COLOR") == "" && IsTerminal(stream) }

// Err returns the first write error.
func (p *Printer) Err() error { return p.err }

// Line prints a line. Untrusted text must be escaped with Text first.
func (p *Printer) Line(format string, args ...any) { p.write(fmt.Sprintf(format, args...) + "\n") }

func (p *Printer) write(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.out, s)
	}
}

// ID formats an id, hash or key: its first digits, or all of them with Full. An empty id is "-".
func (p *Printer) ID(id []byte) string {
	if len(id) == 0 {
		return "-"
	}
	digits := hex.EncodeToString(id)
	if !p.full && len(digits) > ShortDigits {
		digits = digits[:ShortDigits]
	}
	return digits
}

// Address formats an address like ID, with the prefix 0x.
func (p *Printer) Address(address []byte) string {
	if len(address) == 0 {
		return "-"
	}
	return "0x" + p.ID(address)
}

// Time formats Unix seconds relative to now, or in RFC 3339 with Full. Zero is "-".
func (p *Printer) Time(unix uint64) string {
	if unix == 0 {
		return "-"
	}
	at := time.Unix(int64(unix), 0)
	if p.full {
		return at.UTC().Format(time.RFC3339)
	}
	return Relative(p.now.Sub(at))
}

// Relative formats a duration before now, or after now if it is negative.
func Relative(ago time.Duration) string {
	ahead := ago < 0
	if ahead {
		ago = -ago
	}
	if ago < time.Second {
		return "now"
	}
	if ahead {
		return "in " + span(ago)
	}
	return span(ago) + " ago"
}

const day = 24 * time.Hour

// span formats a duration in its largest unit.
func span(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{365 * day, "year"}, {30 * day, "month"}, {7 * day, "week"}, {day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= unit.size {
			return Count(uint64(d/unit.size), unit.name)
		}
	}
	return Count(uint64(d/time.Second), "second")
}

// Count formats a number and a noun, in the plural unless the number is one.
func Count(n uint64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Size formats a number of bytes in a unit that leaves at most five digits.
func Size(bytes uint64) string {
	const kibi = 1 << 10
	value, units := float64(bytes), []string{"B", "KiB", "MiB", "GiB"}
	for value >= 10*kibi && len(units) > 1 {
		value, units = value/kibi, units[1:]
	}
	return fmt.Sprintf("%.0f %s", value, units[0])
}

// Text escapes untrusted text: control characters and invalid UTF-8. Empty text is "-".
func Text(s string) string {
	if s == "" {
		return "-"
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			out.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&out, `\x%02x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
		i += size
	}
	return out.String()
}

// clipWidth is the maximum width of a text in a table, in characters.
const clipWidth = 60

// Clip escapes text like Text, and without Full truncates it to clipWidth.
func (p *Printer) Clip(s string) string {
	text := []rune(Text(s))
	if p.full || len(text) <= clipWidth {
		return string(text)
	}
	return string(text[:clipWidth-1]) + "…"
}
