package gitbundle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// First lines of the two versions.
const (
	signatureV2 = "# v2 git bundle\n"
	signatureV3 = "# v3 git bundle\n"
)

// maxRefName is the longest name of a ref in a bundle. The chain allows less.
const maxRefName = 1024

// Reasons that callers distinguish, with errors.Is.
var (
	// ErrLimit is the cause of an Error when a bundle exceeds a limit.
	ErrLimit = errors.New("limit exceeded")
	// ErrMissing is the cause of an Error when a bundle needs objects that are not there, such as its prerequisites.
	ErrMissing = errors.New("objects are missing")
)

// Error is returned for a bundle that is malformed, or that is not accepted here.
type Error struct {
	Line   int // of the header, from 1, or 0
	Reason string
	Cause  error // ErrLimit, ErrMissing or nil
}

func (e *Error) Unwrap() error { return e.Cause }

func (e *Error) Error() string {
	if e.Line == 0 {
		return "git bundle: " + e.Reason
	}
	return fmt.Sprintf("git bundle: line %d: %s", e.Line, e.Reason)
}

// Parse reads a header and leaves the reader at the first byte of the pack. It returns an *Error for a header that is
// malformed, truncated or beyond the limits, and other errors of the reader as they are.
func Parse(r *bufio.Reader, limits Limits) (Header, error) {
	p := &parser{reader: r, limits: limits, header: Header{Format: SHA1}, names: map[string]bool{}}
	first, err := p.line()
	if err != nil {
		return Header{}, err
	}
	if first+"\n" != signatureV2 && first+"\n" != signatureV3 {
		return Header{}, p.refuse("not a git bundle of version 2 or 3")
	}
	hasCapabilities := first+"\n" == signatureV3
	for {
		line, err := p.line()
		if err != nil {
			return Header{}, err
		}
		switch {
		case line == "":
			return p.finish()
		case line[0] == '@' && hasCapabilities:
			err = p.capability(line[1:])
		case line[0] == '-':
			hasCapabilities = false
			err = p.prerequisite(line[1:])
		default:
			hasCapabilities = false
			err = p.ref(line)
		}
		if err != nil {
			return Header{}, err
		}
	}
}

type parser struct {
	reader *bufio.Reader
	limits Limits
	header Header
	names  map[string]bool // of the refs read
	number int             // of the line read last
}

func (p *parser) refuse(format string, args ...any) error {
	return &Error{Line: p.number, Reason: fmt.Sprintf(format, args...)}
}

func exceeds(format string, limit int) error {
	return &Error{Reason: fmt.Sprintf(format, limit), Cause: ErrLimit}
}

// line returns the next line without its line feed.
func (p *parser) line() (string, error) {
	p.number++
	var line []byte
	for {
		part, err := p.reader.ReadSlice('\n')
		p.header.Size += int64(len(part))
		if p.header.Size > int64(p.limits.Bytes) {
			return "", exceeds("the header has more than %d bytes", p.limits.Bytes)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return string(line[:len(line)-1]), nil
		case errors.Is(err, io.EOF):
			return "", p.refuse("the header is truncated")
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
		if p.number == 1 { // a file of another kind
			return "", p.refuse("not a git bundle of version 2 or 3")
		}
	}
}

func (p *parser) capability(text string) error {
	key, value, _ := strings.Cut(text, "=")
	switch {
	case key == "filter":
		return p.refuse("the bundle was made with a filter, so objects are missing")
	case key != "object-format":
		return p.refuse("unknown capability %.40q", key)
	case Format(value).Digits() == 0:
		return p.refuse("unknown object format %.40q", value)
	}
	p.header.Format = Format(value)
	return nil
}

func (p *parser) prerequisite(line string) error {
	id, _, _ := strings.Cut(line, " ")
	switch {
	case len(p.header.Refs) > 0:
		return p.refuse("a prerequisite after a ref")
	case len(p.header.Prerequisites) == p.limits.Prerequisites:
		return exceeds("more than %d prerequisites", p.limits.Prerequisites)
	case !isID(id, p.header.Format):
		return p.refuse("%.80q is not a %s id", id, p.header.Format)
	}
	p.header.Prerequisites = append(p.header.Prerequisites, id)
	return nil
}

func (p *parser) ref(line string) error {
	id, name, _ := strings.Cut(line, " ")
	switch {
	case len(p.header.Refs) == p.limits.Refs:
		return exceeds("more than %d refs", p.limits.Refs)
	case !isID(id, p.header.Format):
		return p.refuse("%.80q is not a %s id", id, p.header.Format)
	case !IsRefName(name):
		return p.refuse("%.80q is not the name of a ref", name)
	case p.names[name]:
		return p.refuse("the ref %.80q appears twice", name)
	}
	p.names[name] = true
	p.header.Refs = append(p.header.Refs, Ref{Name: name, ID: id})
	return nil
}

func (p *parser) finish() (Header, error) {
	if len(p.header.Refs) == 0 {
		return Header{}, &Error{Reason: "no refs"}
	}
	return p.header, nil
}

// Append writes the header to the end of a slice, in the version that git would choose. It returns an *Error when Parse
// would not accept the header. Size is ignored.
func (h Header) Append(to []byte) ([]byte, error) {
	switch h.Format {
	case SHA1:
		to = append(to, signatureV2...)
	case SHA256:
		to = append(to, signatureV3+"@object-format=sha256\n"...)
	default:
		return nil, &Error{Reason: fmt.Sprintf("unknown object format %q", h.Format)}
	}
	for _, id := range h.Prerequisites {
		if !isID(id, h.Format) {
			return nil, &Error{Reason: fmt.Sprintf("%q is not a %s id", id, h.Format)}
		}
		to = append(to, "-"+id+" \n"...)
	}
	names := make(map[string]bool, len(h.Refs))
	for _, ref := range h.Refs {
		if !isID(ref.ID, h.Format) || !IsRefName(ref.Name) || names[ref.Name] {
			return nil, &Error{Reason: fmt.Sprintf("%q %q is not a ref, or appears twice", ref.ID, ref.Name)}
		}
		names[ref.Name] = true
		to = append(to, ref.ID+" "+ref.Name+"\n"...)
	}
	if len(h.Refs) == 0 {
		return nil, &Error{Reason: "no refs"}
	}
	return append(to, '\n'), nil
}

func isID(id string, format Format) bool {
	if len(id) != format.Digits() || id == "" {
		return false
	}
	return strings.Trim(id, "0123456789abcdef") == ""
}

// IsRefName reports whether a name is "HEAD", or begins with "refs/" and is valid for git (git check-ref-format).
func IsRefName(name string) bool {
	if name == "HEAD" {
		return true
	}
	if !strings.HasPrefix(name, "refs/") || len(name) > maxRefName || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.ContainsAny(name, " ~^:?*[\\\x7f") {
		return false
	}
	for i := range len(name) {
		if name[i] < ' ' {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}
