package loadtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	"connectrpc.com/connect"
)

// httpCaller makes Connect calls over HTTP/1.1, one at a time on its own connection. It writes the bytes of a request
// itself, at a fraction of the cost of a general client, because the generator shares the machine with the nodes.
type httpCaller struct {
	address  string
	conn     net.Conn
	in       *bufio.Reader
	out      []byte
	response []byte
	release  func() bool
}

// newHTTPCaller returns a caller that connects on the first call.
func newHTTPCaller(address string) *httpCaller { return &httpCaller{address: address} }

func (e *httpCaller) call(ctx context.Context, procedure string, request []byte) ([]byte, error) {
	if err := e.connect(ctx); err != nil {
		return nil, err
	}
	e.out = append(e.out[:0], "POST "...)
	e.out = append(e.out, procedure...)
	e.out = append(e.out, " HTTP/1.1\r\nHost: "...)
	e.out = append(e.out, e.address...)
	e.out = append(e.out, "\r\nContent-Type: application/proto\r\nConnect-Protocol-Version: 1\r\nContent-Length: "...)
	e.out = strconv.AppendInt(e.out, int64(len(request)), 10)
	e.out = append(e.out, "\r\n\r\n"...)
	e.out = append(e.out, request...)
	if _, err := e.conn.Write(e.out); err != nil {
		return nil, errors.Join(context.Cause(ctx), err)
	}
	status, err := e.read()
	switch {
	case err != nil:
		return nil, errors.Join(context.Cause(ctx), err)
	case status != http.StatusOK:
		return nil, responseError(status, e.response)
	default:
		return e.response, nil
	}
}

// connect establishes the connection, which is closed when the context ends.
func (e *httpCaller) connect(ctx context.Context) error {
	if e.conn != nil {
		return nil
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", e.address)
	if err != nil {
		return connect.NewError(connect.CodeUnavailable, err)
	}
	e.conn, e.in = conn, bufio.NewReader(conn)
	e.release = context.AfterFunc(ctx, func() { _ = conn.Close() })
	return nil
}

// read reads a response into the buffer of the previous one.
func (e *httpCaller) read() (status int, err error) {
	head, err := http.ReadResponse(e.in, nil)
	if err != nil {
		return 0, err
	}
	if head.ContentLength < 0 {
		e.response, err = io.ReadAll(head.Body)
	} else {
		e.response = append(e.response[:0], make([]byte, head.ContentLength)...)
		_, err = io.ReadFull(head.Body, e.response)
	}
	return head.StatusCode, errors.Join(err, head.Body.Close())
}

// responseError returns the error of a response.
func responseError(status int, body []byte) error {
	var decoded struct {
		Code    connect.Code `json:"code"`
		Message string       `json:"message"`
	}
	if err := json.Unmarshal(body, &decoded); err != nil || decoded.Code == 0 {
		return fmt.Errorf("the node returned status %d: %q", status, body)
	}
	return connect.NewError(decoded.Code, errors.New(decoded.Message))
}

func (e *httpCaller) close() {
	if e.conn != nil {
		e.release()
		_ = e.conn.Close() // no call is in flight
	}
}
