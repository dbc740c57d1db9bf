package server

import (
	"fmt"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/proto"
)

// checkSize refuses to send a message that is larger than clients take. Connect has a limit too, but on
// what is left after compression, and clients count what they decompress.
func checkSize(message any, limit int) error {
	known, isKnown := message.(proto.Message)
	if !isKnown {
		return nil
	}
	if size := proto.Size(known); size > limit {
		return connect.NewError(connect.CodeResourceExhausted, fmt.Errorf("an answer of %d bytes is larger than the limit of %d", size, limit))
	}
	return nil
}

// A watchedConn checks and counts the messages of a stream.
type watchedConn struct {
	connect.StreamingHandlerConn

	maxResponseBytes int
	sent, received   prometheus.Counter
}

func (c *watchedConn) Send(message any) error {
	if err := checkSize(message, c.maxResponseBytes); err != nil {
		return err
	}
	if err := c.StreamingHandlerConn.Send(message); err != nil {
		return err
	}
	if message != nil { // nil sends the headers alone
		c.sent.Inc()
	}
	return nil
}

func (c *watchedConn) Receive(message any) error {
	if err := c.StreamingHandlerConn.Receive(message); err != nil {
		return err
	}
	c.received.Inc()
	return nil
}
