package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"makechain/internal/gitid"
	"makechain/internal/ident"
)

// Commit is a parsed commit object.
type Commit struct {
	Hash     ident.Hash
	Tree     ident.Hash
	Parents  []ident.Hash
	Author   Signature
	Encoding string // of the message; empty for UTF-8
	Message  []byte // everything after the headers, unchanged
}

// Signature is the name, email address and time of an author.
type Signature struct {
	Name, Email string // any bytes
	Seconds     int64  // Unix time; 0 when it cannot be parsed
}

// ReadCommits calls visit with each of the commits, in the given order. visit may keep the commit.
func (r *Repo) ReadCommits(ctx context.Context, commits []ident.Hash, visit func(*Commit) error) error {
	if len(commits) == 0 {
		return nil
	}
	return r.stream(ctx, idLines(commits), func(out *bufio.Reader) error {
		for _, hash := range commits {
			object, err := readObject(out, gitid.String(hash))
			if err != nil {
				return err
			}
			commit, err := ParseCommit(object)
			if err != nil {
				return fmt.Errorf("commit %s: %w", gitid.String(hash), err)
			}
			commit.Hash = hash
			if err := visit(commit); err != nil {
				return err
			}
		}
		_, err := io.Copy(io.Discard, out)
		return err
	}, "cat-file", "--batch")
}

// readObject reads one object from git cat-file --batch: a line with id, type and size, the object, a line break.
func readObject(out *bufio.Reader, id string) ([]byte, error) {
	line, err := out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file ended before %s: %w", id, err)
	}
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[0] != id || fields[1] != "commit" {
		return nil, fmt.Errorf("git has no commit %s: %s", id, strings.TrimSpace(line))
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, fmt.Errorf("git cat-file printed %q: %w", line, err)
	}
	object := make([]byte, size+1)
	if _, err := io.ReadFull(out, object); err != nil {
		return nil, fmt.Errorf("git cat-file ended inside %s: %w", id, err)
	}
	return object[:size], nil
}

// errNoTree is returned for a commit object without the tree header that every commit has.
var errNoTree = errors.New("the object has no tree header")

// ParseCommit parses a commit object. It does not set the hash.
func ParseCommit(object []byte) (*Commit, error) {
	commit := &Commit{}
	headers, text, _ := bytes.Cut(object, []byte("\n\n"))
	commit.Message = text
	for line := range bytes.Lines(headers) {
		name, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		if err := commit.header(name, value); err != nil {
			return nil, err
		}
	}
	if commit.Tree == (ident.Hash{}) {
		return nil, errNoTree
	}
	return commit, nil
}

// header parses one header. Continuation lines, as of signatures, start with a space and so have an empty name.
func (c *Commit) header(name, value string) (err error) {
	switch name {
	case "tree":
		c.Tree, err = gitid.Parse(value)
	case "parent":
		var parent ident.Hash
		parent, err = gitid.Parse(value)
		c.Parents = append(c.Parents, parent)
	case "author":
		c.Author = parseSignature(value)
	case "encoding":
		c.Encoding = value
	}
	return err
}

// parseSignature parses "name <email> seconds zone". Old versions of git wrote other forms too; like git, it returns 0
// for a time that cannot be parsed.
func parseSignature(value string) Signature {
	author, date := value, ""
	if end := strings.LastIndexByte(value, '>'); end >= 0 {
		author, date = value[:end], value[end+1:]
	}
	name, email, _ := strings.Cut(author, "<")
	signature := Signature{Name: strings.TrimSpace(name), Email: strings.TrimSpace(email)}
	if fields := strings.Fields(date); len(fields) > 0 {
		if seconds, err := strconv.ParseUint(fields[0], 10, 63); err == nil {
			signature.Seconds = int64(seconds)
		}
	}
	return signature
}

// Title returns the subject that git log --oneline prints: the first paragraph of the message on one line, as valid
// UTF-8 of at most maximum bytes. Invalid bytes become U+FFFD, unless the encoding of the commit is Latin-1.
func (c *Commit) Title(maximum int) string {
	var lines []string
	for line := range bytes.Lines(c.Message) {
		line = bytes.TrimRight(line, " \t\r\n\v\f")
		if len(line) > 0 {
			lines = append(lines, c.decode(line))
		} else if len(lines) > 0 {
			break
		}
	}
	return truncate(strings.Join(lines, " "), maximum)
}

// AuthorName returns the name of the author as valid UTF-8 of at most maximum bytes, converted as in Title, without control
// characters. A longer name is cut off at the boundary of a character.
func (c *Commit) AuthorName(maximum int) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, c.decode([]byte(c.Author.Name)))
	end := min(len(name), maximum)
	for end < len(name) && !utf8.RuneStart(name[end]) {
		end--
	}
	return strings.TrimSpace(name[:end])
}

// decode converts a line to UTF-8.
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

// truncate shortens a text to at most maximum bytes at the boundary of a character, and appends an ellipsis.
func truncate(text string, maximum int) string {
	const ellipsis = "…"
	if len(text) <= maximum {
		return text
	}
	end := maximum - len(ellipsis)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}
