package fanout_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// readBytes is the initial size of the read buffer.
	readBytes = 64 << 10
	// messageHead is the start of the event of a message, up to its id.
	messageHead = "event: message\nid: "
	// stampHead is the text before the submission time of a message, which is the title of its commit.
	stampHead = `"title":"`
)

// client reads a stream of messages. It keeps little state, because there are many clients.
type client struct {
	conn        net.Conn
	body        io.Reader
	isConnected atomic.Bool
	events      atomic.Int64

	bytes  int
	last   id
	digest uint64
	lags   []time.Duration // of the last event of each read
}

// id is the id of an event.
type id struct{ block, index uint64 }

// fold adds an id to an order-dependent digest.
func fold(digest uint64, at id) uint64 {
	const prime = 1_099_511_628_211
	return ((digest*prime)^at.block)*prime ^ at.index
}

// connect opens the stream.
func (c *client) connect(address string) (err error) {
	if c.conn, err = net.Dial("tcp", address); err != nil { //nolint:noctx // ends with the process
		return err
	}
	if _, err := io.WriteString(c.conn, "GET /v1/stream/messages HTTP/1.1\r\nHost: "+address+"\r\n\r\n"); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(c.conn), nil) //nolint:bodyclose // ends with the connection
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", response.Status)
	}
	c.body = response.Body
	c.isConnected.Store(true)
	return nil
}

// read reads events until the connection ends.
func (c *client) read() error {
	buffer, kept := make([]byte, readBytes), 0
	for {
		n, err := c.body.Read(buffer[kept:])
		if err != nil {
			return err
		}
		c.bytes += n
		filled := buffer[:kept+n]
		used, err := c.parse(filled)
		if err != nil {
			return err
		}
		kept = copy(buffer, filled[used:])
		if kept == len(buffer) {
			buffer = slices.Grow(buffer, len(buffer))[:2*len(buffer)]
		}
	}
}

// parse handles all complete events and returns their total size.
func (c *client) parse(filled []byte) (used int, err error) {
	var last []byte
	var count int64
	for {
		length := bytes.Index(filled[used:], []byte("\n\n"))
		if length < 0 {
			break
		}
		event := filled[used : used+length]
		used += length + len("\n\n")
		if !bytes.HasPrefix(event, []byte(messageHead)) {
			continue // a comment
		}
		if err := c.add(event[len(messageHead):]); err != nil {
			return 0, err
		}
		last, count = event, count+1
	}
	if last != nil {
		c.lags = append(c.lags, lag(last))
		c.events.Add(count)
	}
	return used, nil
}

// add checks that an event follows the previous one: no index in a block is missing or repeated.
func (c *client) add(event []byte) error {
	line, _, _ := bytes.Cut(event, []byte("\n"))
	block, index, _ := strings.Cut(string(line), "-")
	at := id{}
	var err error
	if at.block, err = strconv.ParseUint(block, 10, 64); err != nil {
		return err
	}
	if at.index, err = strconv.ParseUint(index, 10, 64); err != nil {
		return err
	}
	isNext := at.block == c.last.block && at.index == c.last.index+1 || at.block > c.last.block && at.index == 0
	if !isNext {
		return fmt.Errorf("event %v came after %v", at, c.last)
	}
	c.last, c.digest = at, fold(c.digest, at)
	return nil
}

// lag returns the time since the message of an event was submitted.
func lag(event []byte) time.Duration {
	_, after, _ := bytes.Cut(event, []byte(stampHead))
	stamp, _, _ := bytes.Cut(after, []byte(`"`))
	nanoseconds, _ := strconv.ParseInt(string(stamp), 10, 64) // an invalid title gives a lag of years
	return time.Since(time.Unix(0, nanoseconds))
}
