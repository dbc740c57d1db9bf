package lint

import (
	"fmt"
	"regexp"
	"strings"
)

// privateTerms maps phrases that must not be used to the standard term; docs/glossary.md has the terms to use.
func privateTerms() [][2]string {
	return [][2]string{
		{`says whether`, "reports whether"},
		{`tells? whether`, "reports whether"},
		{`(is|are|be) told`, "receives"},
		{`log of votes`, "WAL"},
		{`(takes?|taken|took) in`, "admits"},
		{`(hands?|handed) (over|in)`, "submits or passes"},
		{`(im)?patience`, "timeout, deadline or TTL"},
		{`nobody (is|need|can|else)`, "the concrete subject"},
		{`(is|are) no (name|message|key|commit|time|file|project|account|proof|number)`, "is not a ..."},
		{`what (a|the) node bears`, "load or capacity"},
		{`for ever`, "permanently"},
	}
}

// CheckVocabulary finds phrases in a Go file or a documentation page that have a standard term. "There is no project" is
// ordinary English, unlike "it is no project".
func CheckVocabulary(name, content string) []Finding {
	var findings []Finding
	existence := regexp.MustCompile(`(?i)\bthere (is|are) no\b`)
	for _, term := range privateTerms() {
		phrase := regexp.MustCompile(`(?i)\b(` + term[0] + `)\b`)
		line := 0
		for text := range strings.Lines(content) {
			line++
			if found := phrase.FindString(existence.ReplaceAllString(text, "")); found != "" {
				findings = append(findings, Finding{name, line, fmt.Sprintf("%q: use %s", found, term[1])})
			}
		}
	}
	return findings
}
