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

// exchange calls by Connect over HTTP/1.1, a call at a time on a connection of its own. It writes the bytes of a request
// itself: that costs a fraction of what a general client does, which matters when the load shares the machine with what
// is measured.
type exchange struct {
	address string
	conn    net.Conn
	in      *bufio.Reader
	out     []byte
	answer  []byte
	release func() bool
}

// newExchange makes an exchange. It connects when it is first used.
func newExchange(address string) *exchange { return &exchange{address: address} }

func (e *exchange) call(ctx context.Context, procedure string, request []byte) ([]byte, error) {
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
		return nil, failure(status, e.answer)
	default:
		return e.answer, nil
	}
}

// connect makes the connection, which breaks when the context ends.
func (e *exchange) connect(ctx context.Context) error {
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

// read takes in an answer, into the memory of the one before.
func (e *exchange) read() (status int, err error) {
	response, err := http.ReadResponse(e.in, nil)
	if err != nil {
		return 0, err
	}
	if response.ContentLength < 0 {
		e.answer, err = io.ReadAll(response.Body)
	} else {
		e.answer = append(e.answer[:0], make([]byte, response.ContentLength)...)
		_, err = io.ReadFull(response.Body, e.answer)
	}
	return response.StatusCode, errors.Join(err, response.Body.Close())
}

// failure is the error that a node answers.
func failure(status int, answer []byte) error {
	var told struct {
		Code    connect.Code `json:"code"`
		Message string       `json:"message"`
	}
	if err := json.Unmarshal(answer, &told); err != nil || told.Code == 0 {
		return fmt.Errorf("the node answers %d: %q", status, answer)
	}
	return connect.NewError(told.Code, errors.New(told.Message))
}

func (e *exchange) close() {
	if e.conn != nil {
		e.release()
		_ = e.conn.Close() // nothing is under way
	}
}
