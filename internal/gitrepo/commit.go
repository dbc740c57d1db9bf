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

	"makechain/internal/ident"
)

// Commit is what a commit object says.
type Commit struct {
	Hash     ident.Hash
	Tree     ident.Hash
	Parents  []ident.Hash
	Author   Signature
	Encoding string // of the message; empty means UTF-8
	Message  []byte // as it is: everything after the headers
}

// Signature is who did something, and when.
type Signature struct {
	Name, Email string // any bytes
	Seconds     int64  // Unix time; 0 when the object has no time that can be read
}

// Read hands over commits in the order asked for. Their memory is the taker's.
func (r *Repo) ReadCommits(ctx context.Context, commits []ident.Hash, take func(*Commit) error) error {
	if len(commits) == 0 {
		return nil
	}
	return r.stream(ctx, idLines(commits), func(out *bufio.Reader) error {
		for _, hash := range commits {
			object, err := readObject(out, ToID(hash))
			if err != nil {
				return err
			}
			commit, err := ParseCommit(object)
			if err != nil {
				return fmt.Errorf("commit %s: %w", ToID(hash), err)
			}
			commit.Hash = hash
			if err := take(commit); err != nil {
				return err
			}
		}
		_, err := io.Copy(io.Discard, out)
		return err
	}, "cat-file", "--batch")
}

// readObject reads one answer of git cat-file: a line with id, type and size, the object, a line break.
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

// errNoTree is a commit object without the header that every commit has.
var errNoTree = errors.New("the object names no tree")

// Parse reads a commit object.
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

// header takes in one header. The lines by which signatures go on begin with a space, and so have no name.
func (c *Commit) header(name, value string) (err error) {
	switch name {
	case "tree":
		c.Tree, err = FromID(value)
	case "parent":
		var parent ident.Hash
		parent, err = FromID(value)
		c.Parents = append(c.Parents, parent)
	case "author":
		c.Author = parseSignature(value)
	case "encoding":
		c.Encoding = value
	}
	return err
}

// parseSignature reads "name <email> seconds zone". Git itself wrote many that are not quite so, and reads a time it
// cannot make out as 0; so does this.
func parseSignature(value string) Signature {
	person, when := value, ""
	if end := strings.LastIndexByte(value, '>'); end >= 0 {
		person, when = value[:end], value[end+1:]
	}
	name, email, _ := strings.Cut(person, "<")
	signature := Signature{Name: strings.TrimSpace(name), Email: strings.TrimSpace(email)}
	if fields := strings.Fields(when); len(fields) > 0 {
		if seconds, err := strconv.ParseUint(fields[0], 10, 63); err == nil {
			signature.Seconds = int64(seconds)
		}
	}
	return signature
}
