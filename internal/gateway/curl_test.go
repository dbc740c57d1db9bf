package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A curl is a curl command with the options that the documentation uses. It is run by net/http, so that the tests do not need
// curl; the parser rejects other options and shell syntax.
type curl struct {
	method  string
	url     string
	header  http.Header
	body    []byte
	output  string // file that gets the answer
	include bool   // the status line and the headers are printed too
}

// documentedHost is the address of the gateway in the documentation.
const documentedHost = "localhost:8080"

// parseCurl parses a command line. Files are in a directory.
func parseCurl(line string, variables map[string]string, files string) (*curl, error) {
	words, err := splitWords(line, variables)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 || words[0] != "curl" {
		return nil, fmt.Errorf("%q is no curl command", line)
	}
	c := &curl{method: http.MethodGet, header: http.Header{}}
	for words = words[1:]; len(words) > 0; words = words[1:] {
		switch words[0] {
		case "-s", "-N": // how curl prints
			continue
		case "-i":
			c.include = true
			continue
		}
		if !strings.HasPrefix(words[0], "-") {
			if c.url != "" {
				return nil, fmt.Errorf("%q asks for two URLs", line)
			}
			c.url = words[0]
			continue
		}
		if len(words) == 1 {
			return nil, fmt.Errorf("%q: %s is unknown or has no value", line, words[0])
		}
		if err := c.set(words[0], words[1], files); err != nil {
			return nil, err
		}
		words = words[1:]
	}
	if c.url != documentedHost && !strings.HasPrefix(c.url, documentedHost+"/") {
		return nil, fmt.Errorf("%q does not ask %s", line, documentedHost)
	}
	return c, nil
}

// set applies an option with a value.
func (c *curl) set(flag, value, files string) (err error) {
	switch flag {
	case "-H":
		name, content, found := strings.Cut(value, ": ")
		if !found {
			return fmt.Errorf("%q is no header", value)
		}
		c.header.Add(name, content)
	case "-X":
		c.method = value
	case "-o":
		c.output = filepath.Join(files, value)
	case "-d", "--data-binary":
		if c.method == http.MethodGet {
			c.method = http.MethodPost
		}
		c.body = []byte(value)
		if name, isFile := strings.CutPrefix(value, "@"); isFile {
			c.body, err = os.ReadFile(filepath.Join(files, name))
		}
		if c.header.Get("Content-Type") == "" {
			return fmt.Errorf("%s without a content type before it", flag) // curl would send a form
		}
	default:
		return fmt.Errorf("the flag %s is not known here", flag)
	}
	return err
}

// splitWords splits a command line as a shell does, and expands variables. Other shell syntax is an error.
func splitWords(line string, variables map[string]string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun := false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for rest := line; rest != ""; {
		next := rest[0]
		rest = rest[1:]
		switch {
		case next == ' ':
			end()
		case next == '\'' || next == '"':
			quoted, after, closed := strings.Cut(rest, string(next))
			if !closed {
				return nil, fmt.Errorf("%q has a quote that does not end", line)
			}
			if next == '"' {
				var err error
				if quoted, err = expand(quoted, variables); err != nil {
					return nil, err
				}
			}
			word.WriteString(quoted)
			rest, begun = after, true
		case next == '$':
			name := rest[:len(rest)-len(strings.TrimLeft(rest, variableLetters))]
			value, err := expand("$"+name, variables)
			if err != nil {
				return nil, err
			}
			word.WriteString(value)
			rest, begun = rest[len(name):], true
		case strings.IndexByte("|&;<>()`\\*?[]{}~#!", next) >= 0:
			return nil, fmt.Errorf("%q needs a shell for %q", line, next)
		default:
			word.WriteByte(next)
			begun = true
		}
	}
	end()
	return words, nil
}

const variableLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"

// expand replaces variables by their values, which must be defined.
func expand(text string, variables map[string]string) (string, error) {
	var unknown error
	expanded := os.Expand(text, func(name string) string {
		value, known := variables[name]
		if !known {
			unknown = fmt.Errorf("the variable %q in %q is not known", name, text)
		}
		return value
	})
	return expanded, unknown
}

// run runs the command against a gateway and returns the output, unless it is written to a file.
func (c *curl) run(t *testing.T, gateway string, look func(*http.Response) error) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), c.method, gateway+strings.TrimPrefix(c.url, documentedHost), bytes.NewReader(c.body))
	if err != nil {
		return err
	}
	request.Header = c.header
	response, err := protocols()[2].client(t).Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if c.output == "" {
		return look(response)
	}
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	return os.WriteFile(c.output, content, 0o600)
}
