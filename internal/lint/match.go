package lint

import (
	"regexp"
	"strings"
)

// elided matches any text in a line of a page, and any lines if it is the whole line.
const elided = "..."

// varying returns the parts of a line that differ between runs. docs/testing.md lists them.
func varying() []struct{ pattern, sign string } {
	return []struct{ pattern, sign string }{
		{`\b(0x)?[0-9a-f]{8,}\b`, "<hex>"},
		{`\b(127\.0\.0\.1|localhost):\d+\b`, "<address>"},
		{`\b\d\d:\d\d:\d\d\b`, "<time>"},
		{`\b(now|\d+ (second|minute|hour|day|week|month|year)s? ago)\b`, "<ago>"},
		{`\bblock \d+\b`, "<block>"},
		{`\b\d+-\d+\b`, "<position>"},
		{`\b\d+ commits?\b`, "<commits>"},
		{`  +`, "  "}, // the width of a column depends on its content
	}
}

// masked replaces the parts of a line that vary.
func masked(line string) string {
	for _, part := range varying() {
		line = regexp.MustCompile(part.pattern).ReplaceAllString(line, part.sign)
	}
	return strings.TrimRight(line, " ")
}

// MatchesPage reports whether an output is the one that a page shows.
func MatchesPage(page, printed string) bool { return matchLines(splitLines(page), splitLines(printed)) }

func splitLines(text string) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func matchLines(page, printed []string) bool {
	if len(page) == 0 {
		return len(printed) == 0
	}
	if page[0] == elided {
		for skip := range len(printed) + 1 {
			if matchLines(page[1:], printed[skip:]) {
				return true
			}
		}
		return false
	}
	return len(printed) > 0 && matchLine(page[0], printed[0]) && matchLines(page[1:], printed[1:])
}

func matchLine(page, printed string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(masked(page)), regexp.QuoteMeta(elided), ".+")
	return regexp.MustCompile("^" + pattern + "$").MatchString(masked(printed))
}
