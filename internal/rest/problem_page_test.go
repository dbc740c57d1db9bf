package rest

import (
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestProblemsPage checks that the table of problems in the docs agrees with the code.
func TestProblemsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, problems, found := strings.Cut(string(page), "\n## Problems\n")
	if !found {
		t.Fatal("the page has no section about problems")
	}
	want := map[string]string{}
	for code, outcome := range codes {
		want[code] = strconv.Itoa(outcome.status)
	}
	got := map[string]string{}
	for line := range strings.Lines(problems) {
		if cells := strings.Split(line, " | "); len(cells) == 4 && strings.HasPrefix(line, "| `") {
			got[strings.Trim(cells[0], "|` ")] = cells[1]
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the page lists %v, the source %v", got, want)
	}
}
