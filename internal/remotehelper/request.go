package remotehelper

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"makechain/internal/gitbundle"
)

// maxRequest is the largest request of git, in bytes. A fetch lists the commits that the client has.
const maxRequest = 64 << 20

// infiniteDepth is the depth that git sends for --unshallow.
const infiniteDepth = "deepen 2147483647"

// request is a request of protocol version 2, without the flush packet at its end.
type request struct {
	command      string
	capabilities []string
	arguments    []string
}

// readRequest reads a request. It returns io.EOF when git has closed the connection.
func readRequest(in *bufio.Reader, buffer []byte) (*request, error) {
	r := &request{}
	size, inArguments := 0, false
	for {
		kind, data, err := readPacket(in, buffer)
		if err != nil {
			if errors.Is(err, io.EOF) && size > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if size += len(data) + lengthDigits; size > maxRequest {
			return nil, fmt.Errorf("a request of git is larger than %d bytes", maxRequest)
		}
		line := string(bytes.TrimSuffix(data, []byte("\n")))
		command, isCommand := strings.CutPrefix(line, "command=")
		switch {
		case kind == flushPacket:
			return r, nil
		case kind == delimiterPacket:
			inArguments = true
		case kind != dataPacket:
			return nil, fmt.Errorf("%w in a request of git", errPacket)
		case inArguments:
			r.arguments = append(r.arguments, line)
		case isCommand:
			r.command = command
		default:
			r.capabilities = append(r.capabilities, line)
		}
	}
}

// encode returns the request as it is sent to a server. A server that does not filter objects sends all of them, which
// git accepts.
func (r *request) encode(canFilter bool) []byte {
	body := appendLine(nil, "command=%s", r.command)
	for _, capability := range r.capabilities {
		body = appendLine(body, "%s", capability)
	}
	body = appendSpecial(body, delimiterPacket)
	for _, argument := range r.arguments {
		if canFilter || !strings.HasPrefix(argument, "filter ") {
			body = appendLine(body, "%s", argument)
		}
	}
	return appendSpecial(body, flushPacket)
}

// has reports whether the request has an argument.
func (r *request) has(argument string) bool { return slices.Contains(r.arguments, argument) }

// values returns the rest of the arguments that begin with a prefix.
func (r *request) values(prefix string) []string {
	var values []string
	for _, argument := range r.arguments {
		if value, found := strings.CutPrefix(argument, prefix); found {
			values = append(values, value)
		}
	}
	return values
}

// deepens reports whether the client asks for a shallow history or for a change of its depth.
func (r *request) deepens() bool {
	return slices.ContainsFunc(r.arguments, func(argument string) bool { return strings.HasPrefix(argument, "deepen") })
}

// format returns the object format of the request.
func (r *request) format() gitbundle.Format {
	for _, capability := range r.capabilities {
		if name, found := strings.CutPrefix(capability, "object-format="); found {
			return gitbundle.Format(name)
		}
	}
	return gitbundle.SHA1
}
