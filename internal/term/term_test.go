package term_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"makechain/internal/term"
)

// noon is a moment to be before and after.
var noon = time.Date(2030, time.June, 1, 12, 0, 0, 0, time.UTC)

func printed(options term.Options, lines func(*term.Printer)) string {
	var out strings.Builder
	options.Now = noon
	p := term.New(&out, options)
	lines(p)
	return out.String()
}

// TestRelative checks that durations are formatted in their largest unit.
func TestRelative(t *testing.T) {
	t.Parallel()
	for ago, want := range map[time.Duration]string{
		0:                        "now",
		999 * time.Millisecond:   "now",
		time.Second:              "1 second ago",
		59 * time.Second:         "59 seconds ago",
		time.Minute:              "1 minute ago",
		time.Hour + time.Minute:  "1 hour ago",
		36 * time.Hour:           "1 day ago",
		8 * 24 * time.Hour:       "1 week ago",
		45 * 24 * time.Hour:      "1 month ago",
		3 * 365 * 24 * time.Hour: "3 years ago",
		-500 * time.Millisecond:  "now",
		-2 * time.Minute:         "in 2 minutes",
		-400 * 24 * time.Hour:    "in 1 year",
	} {
		if got := term.Relative(ago); got != want {
			t.Errorf("%s: %q, want %q", ago, got, want)
		}
	}
}

// TestCells checks ids, addresses and times, short and in full.
func TestCells(t *testing.T) {
	t.Parallel()
	id, hour := []byte{0x3f, 0xa9, 0xc1, 0xd2, 0xe4}, uint64(noon.Add(-time.Hour).Unix())
	for name, test := range map[string]struct {
		full bool
		cell func(*term.Printer) string
		want string
	}{
		"id":            {false, func(p *term.Printer) string { return p.ID(id) }, "3fa9c1d2"},
		"full id":       {true, func(p *term.Printer) string { return p.ID(id) }, "3fa9c1d2e4"},
		"short id":      {false, func(p *term.Printer) string { return p.ID(id[:2]) }, "3fa9"},
		"no id":         {false, func(p *term.Printer) string { return p.ID(nil) }, "-"},
		"address":       {false, func(p *term.Printer) string { return p.Address(id) }, "0x3fa9c1d2"},
		"no address":    {true, func(p *term.Printer) string { return p.Address(nil) }, "-"},
		"time":          {false, func(p *term.Printer) string { return p.Time(hour) }, "1 hour ago"},
		"full time":     {true, func(p *term.Printer) string { return p.Time(hour) }, "2030-06-01T11:00:00Z"},
		"no time":       {false, func(p *term.Printer) string { return p.Time(0) }, "-"},
		"clipped":       {false, func(p *term.Printer) string { return p.Clip(strings.Repeat("é", 61)) }, strings.Repeat("é", 59) + "…"},
		"not clipped":   {true, func(p *term.Printer) string { return p.Clip(strings.Repeat("é", 61)) }, strings.Repeat("é", 61)},
		"short enough":  {false, func(p *term.Printer) string { return p.Clip(strings.Repeat("é", 60)) }, strings.Repeat("é", 60)},
		"several":       {false, func(*term.Printer) string { return term.Count(2, "commit") }, "2 commits"},
		"none":          {false, func(*term.Printer) string { return term.Count(0, "commit") }, "0 commits"},
		"one":           {false, func(*term.Printer) string { return term.Count(1, "commit") }, "1 commit"},
		"without style": {false, func(p *term.Printer) string { return p.Style(term.Bold, "x") }, "x"},
	} {
		got := printed(term.Options{Full: test.full}, func(p *term.Printer) { p.Line("%s", test.cell(p)) })
		if got != test.want+"\n" {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestTable checks that columns are aligned by characters, without trailing spaces.
func TestTable(t *testing.T) {
	t.Parallel()
	got := printed(term.Options{}, func(p *term.Printer) {
		table := p.Table("NAME", "ID", "TEXT")
		table.Row("é", "12345", "")
		table.Row("longer", "1", "last")
		table.Print("nothing")
	})
	if want := "NAME    ID     TEXT\né       12345\nlonger  1      last\n"; got != want {
		t.Errorf("printed\n%q, want\n%q", got, want)
	}
	if got := printed(term.Options{}, func(p *term.Printer) { p.Table("NAME").Print("nothing") }); got != "nothing\n" {
		t.Errorf("an empty table is %q", got)
	}
}

// TestFacts checks that values are aligned.
func TestFacts(t *testing.T) {
	t.Parallel()
	got := printed(term.Options{}, func(p *term.Printer) { p.Facts(term.Fact{"id", "1"}, term.Fact{"status", "active"}) })
	if want := "id      1\nstatus  active\n"; got != want {
		t.Errorf("printed\n%q, want\n%q", got, want)
	}
}

// TestColour checks that headers and labels are styled, with the same alignment.
func TestColour(t *testing.T) {
	t.Parallel()
	lines := func(p *term.Printer) {
		table := p.Table("A", "B")
		table.Row("long", p.Style(term.Green, "ok"))
		table.Print("")
		p.Facts(term.Fact{"label", "value"})
	}
	plain, coloured := printed(term.Options{}, lines), printed(term.Options{Colour: true}, lines)
	if !strings.Contains(coloured, "\x1b[1mA     B\x1b[0m") || !strings.Contains(coloured, "\x1b[32mok\x1b[0m") {
		t.Errorf("printed %q", coloured)
	}
	for _, mark := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m"} {
		coloured = strings.ReplaceAll(coloured, mark, "")
	}
	if coloured != plain {
		t.Errorf("without its colours it is %q, want %q", coloured, plain)
	}
	if term.IsTerminal(new(strings.Builder)) || term.Colourful(new(strings.Builder)) {
		t.Error("a strings.Builder is reported as a terminal")
	}
}

// TestText checks that control characters and invalid UTF-8 are escaped.
func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                 "-",
		"grüße, мир":       "grüße, мир",
		"red \x1b[31m":     `red \x1b[31m`,
		"two\nlines\ttab":  `two\x0alines\x09tab`,
		"bell\x07 del\x7f": `bell\x07 del\x7f`,
		"\xff\xfe":         `\xff\xfe`,
		"\u202eturned":     `\u202eturned`,
		"\u0085next":       `\u0085next`,
	} {
		if got := term.Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := term.Text(string(rapid.SliceOf(rapid.Byte()).Draw(t, "text")))
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Fatalf("%q", text)
		}
	})
}

// broken is a stream that takes nothing.
type broken struct{ calls int }

func (b *broken) Write([]byte) (int, error) {
	b.calls++
	return 0, errors.ErrUnsupported
}

// TestBrokenStream checks that the first write error is kept, and nothing more is written.
func TestBrokenStream(t *testing.T) {
	t.Parallel()
	out := new(broken)
	p := term.New(out, term.Options{Now: noon})
	p.Line("one")
	p.Line("two")
	if !errors.Is(p.Err(), errors.ErrUnsupported) || out.calls != 1 {
		t.Errorf("%v after %d writes", p.Err(), out.calls)
	}
}
