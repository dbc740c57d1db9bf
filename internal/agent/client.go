package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"syscall"
	"time"

	"makechain/internal/ident"
)

// Client calls the agent of a socket. Its methods return ErrNotRunning if there is none, and are safe for concurrent use.
type Client struct {
	Socket string
}

// Status returns the status of the agent.
func (c Client) Status() (*Status, error) {
	answer, err := c.call(&request{Op: opStatus})
	if err == nil && answer.Status == nil {
		err = errors.New("the agent sent no status")
	}
	return answer.Status, err
}

// Holds reports whether an agent runs that holds a key.
func (c Client) Holds(key ident.PublicKey) bool {
	status, err := c.Status()
	if err != nil {
		return false
	}
	for _, held := range status.Keys {
		if held.Key == key.String() {
			return true
		}
	}
	return false
}

// Add gives the agent a key.
func (c Client) Add(name string, secret [32]byte) error {
	_, err := c.call(&request{Op: opAdd, Name: name, Secret: secret[:]})
	return err
}

// Sign returns the agent's signature of the hash of a message, or of a statement for a content service.
func (c Client) Sign(key ident.PublicKey, text []byte) ([]byte, error) {
	answer, err := c.call(&request{Op: opSign, Key: key[:], Text: text})
	return answer.Signature, err
}

// Stop ends the agent.
func (c Client) Stop() error {
	_, err := c.call(&request{Op: opStop})
	return err
}

// call sends a request, which may contain a secret: it does so only if the directory of the socket belongs to this user.
func (c Client) call(req *request) (answer response, err error) {
	if err := checkDir(filepath.Dir(c.Socket)); notFound(err) {
		return answer, ErrNotRunning
	} else if err != nil {
		return answer, err
	}
	conn, err := (&net.Dialer{Timeout: callTimeout}).DialContext(context.Background(), "unix", c.Socket)
	if notFound(err) || errors.Is(err, syscall.ECONNREFUSED) {
		return answer, ErrNotRunning
	}
	if err != nil {
		return answer, err
	}
	defer func() { _ = conn.Close() }() // the answer is complete
	if err := conn.SetDeadline(time.Now().Add(callTimeout)); err != nil {
		return answer, err
	}
	if err := json.NewEncoder(conn).Encode(req); err != nil { //nolint:gosec // the agent has to receive the key
		return answer, fmt.Errorf("agent: %w", err)
	}
	if err := json.NewDecoder(io.LimitReader(conn, maxMessage)).Decode(&answer); err != nil {
		return answer, fmt.Errorf("agent: %w", err)
	}
	if answer.Error != "" {
		return answer, fmt.Errorf("agent: %s", answer.Error)
	}
	return answer, nil
}
