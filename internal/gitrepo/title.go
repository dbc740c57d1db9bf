package gitrepo

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Title is what git log --oneline shows: the first paragraph of the message on one line, as valid UTF-8 of at most so
// many bytes. Bytes that are not UTF-8 become U+FFFD, unless the commit says that it is written in Latin-1.
func (c *Commit) Title(most int) string {
	var lines []string
	for line := range bytes.Lines(c.Message) {
		line = bytes.TrimRight(line, " \t\r\n\v\f")
		if len(line) > 0 {
			lines = append(lines, c.decode(line))
		} else if len(lines) > 0 {
			break
		}
	}
	return cut(strings.Join(lines, " "), most)
}

// decode makes UTF-8 of a line.
func (c *Commit) decode(line []byte) string {
	switch strings.ToLower(c.Encoding) {
	case "iso-8859-1", "iso8859-1", "latin1", "latin-1":
		runes := make([]rune, len(line))
		for i, b := range line {
			runes[i] = rune(b)
		}
		return string(runes)
	default:
		return strings.ToValidUTF8(string(line), string(utf8.RuneError))
	}
}

// cut shortens a text without dividing a character, and marks that it did.
func cut(text string, most int) string {
	const mark = "…"
	if len(text) <= most {
		return text
	}
	end := most - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
