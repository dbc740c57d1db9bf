// Package agent keeps the secret keys of accounts unlocked in one process, which signs for others of the same user through a
// socket.
//
// No request returns a secret. The agent signs only the hashes of messages, which have 32 bytes, and statements for content
// services, so that a signature of it is valid for nothing else. The socket is in a directory that only its owner can enter,
// and where the system tells, the agent refuses processes of other users. Every request is bounded in size and time. An
// agent that has not signed for a while forgets its keys and ends.
package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// DefaultTimeout is the time without a signature after which an agent ends.
	DefaultTimeout = time.Hour

	// maxKeys is the number of keys that an agent holds.
	maxKeys = 100
	// maxName is the length of the name of a key in bytes.
	maxName = 100
	// maxMessage is the size of a request and of a response in bytes.
	maxMessage = 64 << 10
	// maxConnections is the number of requests that are processed at a time.
	maxConnections = 32
	// callTimeout is the time for one request.
	callTimeout = time.Minute
	// maxSocketPath is the length of a path that every system accepts for a socket.
	maxSocketPath = 100

	dirMode    = 0o700
	socketMode = 0o600
	// others is the mask of the permissions of group and others.
	others = 0o077
)

// ErrNotRunning is returned when no agent listens on the socket.
var ErrNotRunning = errors.New("no agent is running")

// ErrRunning is returned when another agent listens on the socket.
var ErrRunning = errors.New("an agent is already running")

// Socket returns the path of the socket of an agent for the accounts of a configuration directory.
func Socket(configDir string) string { return filepath.Join(configDir, "agent", "socket") }

// Held is a key that an agent holds.
type Held struct {
	Name string `json:"name"`
	Key  string `json:"key"` // the public key
}

// Status describes an agent.
type Status struct {
	PID  int    `json:"pid"`
	Keys []Held `json:"keys"`
	// TimeoutSeconds is the time without a signature after which the agent ends.
	TimeoutSeconds int64 `json:"timeout_seconds"`
}

// The operations of a request.
const (
	opStatus = "status"
	opAdd    = "add"
	opSign   = "sign"
	opStop   = "stop"
)

// request is what a client sends, as one JSON object for each connection.
type request struct {
	Op     string `json:"op"`
	Name   string `json:"name,omitempty"`   // of opAdd
	Secret []byte `json:"secret,omitempty"` // of opAdd
	Key    []byte `json:"key,omitempty"`    // of opSign
	Text   []byte `json:"text,omitempty"`   // of opSign
}

// response is what the agent sends.
type response struct {
	Error     string  `json:"error,omitempty"`
	Status    *Status `json:"status,omitempty"`
	Signature []byte  `json:"signature,omitempty"`
}

// checkDir checks that only the user of this process can enter the directory of a socket.
func checkDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	if hasModes && info.Mode().Perm()&others != 0 {
		return fmt.Errorf("%s has mode %04o, which gives others access to the agent: chmod 700 %s", dir, info.Mode().Perm(), dir)
	}
	return checkOwner(dir, info)
}

// notFound reports whether an error means that there is no socket.
func notFound(err error) bool { return errors.Is(err, fs.ErrNotExist) }
