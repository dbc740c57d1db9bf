package gateway_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"makechain/internal/lint"
)

const page = "../../docs/rest.md"

// elided matches any text in an expected output.
const elided = "..."

// TestExamples runs every command of docs/rest.md, in order, against a node, and compares the output with the page. It does
// not need curl: see parseCurl.
// Rules: REST.
func TestExamples(t *testing.T) {
	t.Parallel()
	n := newExampleChain(t)
	for section, commands := range readSections(t) {
		for _, command := range commands {
			c, err := parseCurl(command.Line, n.variables, n.files)
			if err != nil {
				t.Errorf("%s: %v", section, err)
				continue
			}
			err = c.run(t, n.RESTURL(), func(answer *http.Response) error {
				body, err := compare(command.Output, answer, c.include)
				n.remember(body)
				return err
			})
			if err != nil {
				t.Errorf("%s: %s: %v", section, command.Line, err)
			}
		}
	}
}

// TestEveryGroupHasAnExample checks that the page has an example for every tag.
func TestEveryGroupHasAnExample(t *testing.T) {
	t.Parallel()
	var with []string
	for section, commands := range readSections(t) {
		if len(commands) > 0 {
			with = append(with, section)
		}
	}
	want := []string{
		"Writes", "Projects", "Refs", "Commits", "Merge requests", "Accounts", "Custody keys", "Links", "Blocks", "Messages",
		"Proofs", "Node", "Streams", "gRPC, gRPC-web and Connect",
	}
	if !slices.Equal(with, want) {
		t.Errorf("sections with examples are %q, want %q", with, want)
	}
}

// readSections returns the commands of each section in order. A command may continue on the next line.
func readSections(t *testing.T) func(yield func(string, []lint.Command) bool) {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(string, []lint.Command) bool) {
		for _, section := range strings.Split(string(content), "\n## ")[1:] {
			title, text, _ := strings.Cut(section, "\n")
			commands := lint.Transcripts(strings.ReplaceAll(text, "\\\n", ""))
			if !yield(title, commands) {
				return
			}
		}
	}
}

// remember sets the variables that later examples use from a response.
func (n *exampleChain) remember(answer any) {
	object, _ := answer.(map[string]any)
	for key, variable := range map[string]string{"value": "VALUE", "proof": "PROOF", "block_number": "BLOCK"} {
		if value, isText := object[key].(string); isText {
			n.name(variable, value)
		}
	}
}

// compare compares a response with the page, and returns its JSON value, or nil if it is not JSON.
func compare(shown string, answer *http.Response, withHeaders bool) (any, error) {
	if withHeaders {
		head, body, _ := strings.Cut(shown, "\n\n")
		if err := compareHead(head, answer); err != nil {
			return nil, err
		}
		shown = body
	}
	switch {
	case shown == "":
		return nil, nil
	case strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream"):
		return nil, compareLines(shown, answer.Body)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	var want, got any
	if err := json.Unmarshal([]byte(shown), &want); err != nil {
		return nil, fmt.Errorf("what the page shows is no JSON: %w", err)
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return nil, fmt.Errorf("%s is no JSON: %w", body, err)
	}
	if err := compareValues("", want, got); err != nil {
		return nil, fmt.Errorf("%w, in %s %s", err, answer.Status, body)
	}
	return got, nil
}

// compareHead compares the status line and the headers that the page shows.
func compareHead(shown string, answer *http.Response) error {
	lines := strings.Split(shown, "\n")
	if got := answer.Proto + " " + answer.Status; got != lines[0] {
		return fmt.Errorf("answered %q, the page shows %q", got, lines[0])
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		if line != elided && answer.Header.Get(name) != value {
			return fmt.Errorf("%s is %q, the page shows %q", name, answer.Header.Get(name), value)
		}
	}
	return nil
}

// compareLines compares the beginning of a stream.
func compareLines(shown string, stream io.Reader) error {
	got := bufio.NewScanner(stream)
	got.Buffer(nil, 1<<20)
	for line := range strings.Lines(shown) {
		if !got.Scan() {
			return fmt.Errorf("the stream ended before %q: %w", line, got.Err())
		}
		if !matches(strings.TrimSuffix(line, "\n"), got.Text()) {
			return fmt.Errorf("streamed %q, the page shows %q", got.Text(), line)
		}
	}
	return nil
}

// compareValues checks that a value contains everything that the page shows. Lists must have the same length.
func compareValues(place string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		object, isObject := got.(map[string]any)
		if !isObject {
			return fmt.Errorf("%s is %v, the page shows an object", place, got)
		}
		for key, value := range want {
			found, isThere := object[key]
			if !isThere {
				return fmt.Errorf("%s.%s is not there", place, key)
			}
			if err := compareValues(place+"."+key, value, found); err != nil {
				return err
			}
		}
		return nil
	case []any:
		list, isList := got.([]any)
		if !isList || len(list) != len(want) {
			return fmt.Errorf("%s is %v, the page shows a list of %d", place, got, len(want))
		}
		for i, value := range want {
			if err := compareValues(fmt.Sprintf("%s[%d]", place, i), value, list[i]); err != nil {
				return err
			}
		}
		return nil
	case string:
		if matches(want, fmt.Sprint(got)) && got != nil {
			return nil
		}
	default:
		if want == got {
			return nil
		}
	}
	return fmt.Errorf("%s is %v, the page shows %v", place, got, want)
}

// matches compares a text with one that has elided parts, which must not be empty.
func matches(shown, got string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(shown), regexp.QuoteMeta(elided), ".+")
	return regexp.MustCompile("^" + pattern + "$").MatchString(got)
}

// TestCompare checks that the comparison detects differences.
func TestCompare(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		shown, got string
		same       bool
	}{
		{`{"a": 1}`, `{"a": 1, "b": 2}`, true},
		{`{"a": 1}`, `{"a": 2}`, false},
		{`{"a": null}`, `{}`, false},
		{`{"a": "x...z"}`, `{"a": "xyz"}`, true},
		{`{"a": "x...z"}`, `{"a": "xz"}`, false},
		{`{"a": "..."}`, `{"a": null}`, false},
		{`{"a": []}`, `{"a": [1]}`, false},
		{`{"a": [{"b": 1}]}`, `{"a": [{"b": 1, "c": 2}]}`, true},
		{`{"a": {"b": 1}}`, `{"a": 1}`, false},
	} {
		answer := &http.Response{Header: http.Header{}, Body: io.NopCloser(strings.NewReader(test.got))}
		if _, err := compare(test.shown, answer, false); (err == nil) != test.same {
			t.Errorf("%s and %s: %v", test.shown, test.got, err)
		}
	}
}

// TestParseCurl checks the supported options and the errors of others.
func TestParseCurl(t *testing.T) {
	t.Parallel()
	variables := map[string]string{"ALICE": "0xa1", "QUERY": "x y"}
	c, err := parseCurl(`curl -s -H 'Content-Type: application/json' -d '{"a":"'$ALICE'"}' "localhost:8080/v1/$ALICE?q=$QUERY"`, variables, "")
	if err != nil || c.method != http.MethodPost || string(c.body) != `{"a":"0xa1"}` || c.url != "localhost:8080/v1/0xa1?q=x y" {
		t.Errorf("parsed %+v, %v", c, err)
	}
	for _, line := range []string{
		"wget localhost:8080/", "curl elsewhere.example/", "curl localhost:80801/", "curl", "curl localhost:8080/ | jq .", "curl -k localhost:8080/",
		"curl --compressed localhost:8080/ -s", "curl -d {} localhost:8080/", "curl -d x localhost:8080/", "curl localhost:8080/$NOBODY",
		`curl "localhost:8080/$NOBODY"`, "curl localhost:8080/a localhost:8080/b", "curl -H", "curl 'localhost:8080/", "curl -H novalue localhost:8080/",
		"curl localhost:8080/?a", "curl localhost:8080/&",
	} {
		if c, err := parseCurl(line, variables, t.TempDir()); err == nil {
			t.Errorf("%s was parsed as %+v", line, c)
		}
	}
}
