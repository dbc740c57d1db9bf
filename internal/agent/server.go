package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	"makechain/internal/contentauth"
	"makechain/internal/ident"
)

// checkInterval is the time between two checks of the timeout. The clock may jump, because a machine that sleeps does not
// run timers.
const checkInterval = 10 * time.Second

// Server is an agent.
type Server struct {
	timeout  time.Duration
	listener *net.UnixListener
	unlock   func() error
	stop     context.CancelFunc

	mu   sync.Mutex // guards the fields below
	keys map[ident.PublicKey]heldKey
	used time.Time // of the last signature, without a monotonic clock
}

// heldKey is an unlocked key.
type heldKey struct {
	name   string
	secret ed25519.PrivateKey
}

// Listen creates the socket of an agent that ends after a time without a signature. It returns ErrRunning if there is
// another agent. The socket of an agent that was killed is replaced.
func Listen(socket string, timeout time.Duration) (*Server, error) {
	if len(socket) > maxSocketPath {
		return nil, fmt.Errorf("the path of the socket has %d bytes, at most %d are possible: %s", len(socket), maxSocketPath, socket)
	}
	dir := filepath.Dir(socket)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, err
	}
	if err := checkDir(dir); err != nil {
		return nil, err
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	// The lock is held, so a socket is one of an agent that no longer runs.
	if err := os.Remove(socket); err != nil && !notFound(err) {
		return nil, errors.Join(err, unlock())
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	if err := os.Chmod(socket, socketMode); err != nil {
		return nil, errors.Join(err, listener.Close(), unlock())
	}
	return &Server{timeout: timeout, listener: listener, unlock: unlock, keys: map[ident.PublicKey]heldKey{}, used: wallClock()}, nil
}

// wallClock returns the time without a monotonic clock, which stands still while a machine sleeps.
func wallClock() time.Time { return time.Now().Round(0) }

// Serve answers requests until ctx ends, a client stops the agent or its timeout passes. It removes the socket and forgets
// the keys.
func (s *Server) Serve(ctx context.Context) error {
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	context.AfterFunc(ctx, func() { _ = s.listener.Close() }) // removes the socket as well
	var calls sync.WaitGroup
	calls.Go(func() { s.watch(ctx) })
	free := make(chan struct{}, maxConnections)
	var failed error
	for {
		conn, err := s.listener.AcceptUnix()
		if err != nil {
			if ctx.Err() == nil {
				failed = err
			}
			break
		}
		free <- struct{}{}
		calls.Go(func() {
			s.serve(conn)
			<-free
		})
	}
	s.stop()
	calls.Wait()
	s.forget()
	return errors.Join(failed, s.unlock())
}

// watch ends the agent when its timeout has passed.
func (s *Server) watch(ctx context.Context) {
	ticker := time.NewTicker(max(min(s.timeout/2, checkInterval), time.Millisecond))
	defer ticker.Stop()
	for !s.expired() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
	s.stop()
}

func (s *Server) expired() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return wallClock().Sub(s.used) >= s.timeout
}

// serve answers the request of a connection.
func (s *Server) serve(conn *net.UnixConn) {
	defer func() { _ = conn.Close() }() // the client may have closed it
	if conn.SetDeadline(time.Now().Add(callTimeout)) != nil {
		return
	}
	var answer response
	var req request
	err := checkPeer(conn)
	if err == nil {
		err = json.NewDecoder(io.LimitReader(conn, maxMessage)).Decode(&req)
	}
	if err == nil {
		answer, err = s.answer(&req)
	}
	clear(req.Secret)
	if err != nil {
		answer = response{Error: err.Error()}
	}
	if encoded, err := json.Marshal(answer); err == nil {
		_, _ = conn.Write(encoded) // the client may have gone
	}
	if req.Op == opStop && err == nil {
		s.stop()
	}
}

func (s *Server) answer(req *request) (response, error) {
	switch req.Op {
	case opStatus:
		return response{Status: s.status()}, nil
	case opAdd:
		return response{}, s.add(req.Name, req.Secret)
	case opSign:
		signature, err := s.sign(req.Key, req.Text)
		return response{Signature: signature}, err
	case opStop:
		return response{}, nil
	default:
		return response{}, fmt.Errorf("unknown operation %.20q", req.Op)
	}
}

func (s *Server) status() *Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := &Status{PID: os.Getpid(), TimeoutSeconds: int64(s.timeout / time.Second), Keys: []Held{}}
	for key, held := range s.keys {
		status.Keys = append(status.Keys, Held{Name: held.name, Key: key.String()})
	}
	slices.SortFunc(status.Keys, func(a, b Held) int { return strings.Compare(a.Name+a.Key, b.Name+b.Key) })
	return status
}

// add keeps a key until the agent ends.
func (s *Server) add(name string, secret []byte) error {
	if len(secret) != ed25519.SeedSize || name == "" || len(name) > maxName {
		return errors.New("not a key with a name")
	}
	private := ed25519.NewKeyFromSeed(secret)
	key := ident.PublicKey(private[ed25519.SeedSize:])
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.keys[key]; !known && len(s.keys) >= maxKeys {
		return fmt.Errorf("the agent holds %d keys, which is the limit", maxKeys)
	}
	s.keys[key], s.used = heldKey{name: name, secret: private}, wallClock()
	return nil
}

// sign signs the hash of a message or a statement for a content service.
func (s *Server) sign(public, text []byte) ([]byte, error) {
	if len(text) != ident.HashSize && !contentauth.IsStatement(text) {
		return nil, errors.New("the agent signs only messages and statements for content services")
	}
	if s.expired() {
		s.stop()
		return nil, errors.New("the timeout of the agent has passed")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key, valid := ident.PublicKeyFrom(public)
	held, ok := s.keys[key]
	if !valid || !ok {
		return nil, errors.New("the agent does not hold this key")
	}
	s.used = wallClock()
	return ed25519.Sign(held.secret, text), nil
}

// forget overwrites and removes all keys.
func (s *Server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, held := range s.keys {
		clear(held.secret)
		delete(s.keys, key)
	}
}
