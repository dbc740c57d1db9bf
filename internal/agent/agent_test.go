package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	"makechain/internal/agent"
	"makechain/internal/contentauth"
	"makechain/internal/ident"
)

// running is an agent of a test.
type running struct {
	agent.Client

	stop  context.CancelFunc
	ended chan error
}

func socketOf(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "agent") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return agent.Socket(dir)
}

func start(t *testing.T, socket string, timeout time.Duration) *running {
	t.Helper()
	server, err := agent.Listen(socket, timeout)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	r := &running{Client: agent.Client{Socket: socket}, stop: stop, ended: make(chan error, 1)}
	go func() { r.ended <- server.Serve(ctx) }()
	t.Cleanup(stop)
	return r
}

// wait waits until the agent has ended.
func (r *running) wait(t *testing.T) {
	t.Helper()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	if _, err := r.Status(); !errors.Is(err, agent.ErrNotRunning) {
		t.Errorf("status after the end: %v", err)
	}
	if _, err := os.Lstat(r.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket still exists: %v", err)
	}
}

func keyOf(seed [32]byte) ident.PublicKey {
	return ident.PublicKey(ed25519.NewKeyFromSeed(seed[:])[ed25519.SeedSize:])
}

func statement(t *testing.T) []byte {
	t.Helper()
	s := &contentauth.Statement{ChainID: "chain", Purpose: contentauth.Read, Host: "localhost:8080", Project: ident.Hash{1}}
	text, err := s.Text(1_800_000_000)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestAgent checks that an agent signs messages and statements with the keys that it was given, and nothing else.
func TestAgent(t *testing.T) {
	t.Parallel()
	r := start(t, socketOf(t), time.Hour)
	alice, bob := [32]byte{1}, [32]byte{2}
	for name, seed := range map[string][32]byte{"alice": alice, "bob": bob} {
		if err := r.Add(name, seed); err != nil {
			t.Fatal(err)
		}
	}
	status, err := r.Status()
	if err != nil || len(status.Keys) != 2 || status.Keys[0] != (agent.Held{Name: "alice", Key: keyOf(alice).String()}) ||
		status.TimeoutSeconds != 3600 || status.PID != os.Getpid() {
		t.Errorf("status %+v, error %v", status, err)
	}
	hash := bytes.Repeat([]byte{7}, 32)
	for _, text := range [][]byte{hash, statement(t)} {
		signature, err := r.Sign(keyOf(bob), text)
		key := keyOf(bob)
		if err != nil || !ed25519.Verify(key[:], text, signature) {
			t.Errorf("%d bytes: signature %x, error %v", len(text), signature, err)
		}
	}
	for name, text := range map[string][]byte{
		"nothing": {}, "short": hash[:31], "long": append(hash, 1), "a text": []byte("makechain/other/v1\n" + strings.Repeat("\n", 7)),
		"a longer statement": append(statement(t), '\n'), "a large statement": append(bytes.Repeat([]byte("a"), 4096), statement(t)...),
	} {
		if signature, err := r.Sign(keyOf(bob), text); err == nil {
			t.Errorf("%s was signed: %x", name, signature)
		}
	}
	if _, err := r.Sign(keyOf([32]byte{3}), hash); err == nil {
		t.Error("a key that the agent does not hold has signed")
	}
	if !r.Holds(keyOf(alice)) || r.Holds(keyOf([32]byte{3})) {
		t.Error("Holds is wrong")
	}
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
	r.wait(t)
	if r.Holds(keyOf(alice)) {
		t.Error("a stopped agent holds a key")
	}
}

// TestNoSecretLeaves checks that no answer to any operation contains a secret.
func TestNoSecretLeaves(t *testing.T) {
	t.Parallel()
	r := start(t, socketOf(t), time.Hour)
	seed := [32]byte(bytes.Repeat([]byte("S"), 32))
	if err := r.Add("alice", seed); err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(seed[:])
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{
		`{"op":"status"}`, `{"op":"add"}`, `{"op":"get","key":"x"}`, `{"op":"export","name":"alice"}`, `{}`, `[]`, `not JSON`, `{"op":"sign"}`,
		`{"op":"add","name":"","secret":` + string(encoded) + `}`, `{"op":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		answer := r.raw(t, request)
		if bytes.Contains(answer, seed[:]) || bytes.Contains(answer, bytes.Trim(encoded, `"=`)) {
			t.Errorf("%.40s: the answer contains the secret: %s", request, answer)
		}
		if !strings.Contains(request, "status") && !bytes.Contains(answer, []byte(`"error"`)) {
			t.Errorf("%.40s is not refused: %s", request, answer)
		}
	}
}

// raw sends a request as it is and returns the answer.
func (r *running) raw(t *testing.T, request string) []byte {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "unix", r.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	go func() {
		_, _ = io.WriteString(conn, request)
		_ = conn.(*net.UnixConn).CloseWrite()
	}()
	answer, _ := io.ReadAll(conn) // the agent closes the connection without reading a large request
	if len(answer) == 0 {
		return []byte(`{"error":"closed"}`)
	}
	return answer
}

// TestPrivate checks that only the owner can access the socket, and that a directory which others can enter is refused.
func TestPrivate(t *testing.T) {
	t.Parallel()
	socket := socketOf(t)
	r := start(t, socket, time.Hour)
	for path, want := range map[string]os.FileMode{filepath.Dir(socket): 0o700, socket: 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %o; error %v", path, info.Mode(), want, err)
		}
	}
	r.stop()
	r.wait(t)
	if err := os.Chmod(filepath.Dir(socket), 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := agent.Listen(socket, time.Hour); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("a directory with mode 0750: %v", err)
	}
	if err := r.Add("alice", [32]byte{1}); err == nil || errors.Is(err, agent.ErrNotRunning) {
		t.Errorf("a client in a directory with mode 0750: %v", err)
	}
	if _, err := agent.Listen(filepath.Join(filepath.Dir(socket), strings.Repeat("x", 100)), time.Hour); err == nil {
		t.Error("a path that is too long is accepted")
	}
}

// TestSecondAgent checks that there is one agent for each socket, and that the socket of one that was killed is replaced.
func TestSecondAgent(t *testing.T) {
	t.Parallel()
	socket := socketOf(t)
	r := start(t, socket, time.Hour)
	if _, err := agent.Listen(socket, time.Hour); !errors.Is(err, agent.ErrRunning) {
		t.Errorf("a second agent: %v", err)
	}
	r.stop()
	r.wait(t)
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false) // as after a kill
	_ = stale.Close()
	if _, err := r.Status(); !errors.Is(err, agent.ErrNotRunning) {
		t.Errorf("a socket without an agent: %v", err)
	}
	again := start(t, socket, time.Hour)
	if err := again.Add("alice", [32]byte{1}); err != nil {
		t.Error(err)
	}
}

// TestTimeout checks that an agent that is not used ends by itself.
func TestTimeout(t *testing.T) {
	t.Parallel()
	start(t, socketOf(t), time.Millisecond).wait(t)
}

// TestConcurrentClients checks that many clients, some of which send nothing, are all answered.
func TestConcurrentClients(t *testing.T) {
	t.Parallel()
	r := start(t, socketOf(t), time.Hour)
	if err := r.Add("alice", [32]byte{1}); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		idle, err := new(net.Dialer).DialContext(t.Context(), "unix", r.Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = idle.Close() }()
	}
	var clients sync.WaitGroup
	for i := range byte(50) {
		clients.Go(func() {
			text := bytes.Repeat([]byte{i}, 32)
			key := keyOf([32]byte{1})
			if signature, err := r.Sign(key, text); err != nil || !ed25519.Verify(key[:], text, signature) {
				t.Errorf("signature %x, error %v", signature, err)
			}
		})
	}
	clients.Wait()
}

// TestMaxKeys checks that the number of keys is limited.
func TestMaxKeys(t *testing.T) {
	t.Parallel()
	r := start(t, socketOf(t), time.Hour)
	for i := range byte(100) {
		if err := r.Add("key", [32]byte{i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Add("key", [32]byte{100}); err == nil {
		t.Error("the agent has more than 100 keys")
	}
	if err := r.Add("key", [32]byte{7}); err != nil {
		t.Errorf("a key that it holds: %v", err)
	}
}
