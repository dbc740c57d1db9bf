package process

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"makechain/internal/testnet"
)

// TestProxies checks that nodes dial each other through proxies, which delay bytes in both directions and count them.
func TestProxies(t *testing.T) {
	t.Parallel()
	const delay = 30 * time.Millisecond
	echo, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // returns at once
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = echo.Close() }() // ends the goroutine
	go func() {
		if conn, err := echo.Accept(); err == nil {
			_, _ = io.Copy(conn, conn) // until the proxy closes it
		}
	}()
	made := &testnet.Network{Nodes: []testnet.Node{
		{ID: "a", P2P: "127.0.0.1:1", Home: t.TempDir()}, {ID: "b", P2P: echo.Addr().String(), Home: t.TempDir()},
	}}
	config := filepath.Join(made.Nodes[0].Home, "config.toml")
	for i := range made.Nodes {
		text := "peers = [\"" + made.Nodes[1-i].Peer() + "\"]\n"
		if err := os.WriteFile(filepath.Join(made.Nodes[i].Home, "config.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := newProxies(t.Context(), made, func(int, int) time.Duration { return delay })
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(strings.TrimSuffix(string(written), "\"]\n"), "b@")
	if address == "" || address == made.Nodes[1].P2P {
		t.Fatalf("the peers are %q", written)
	}
	conn, err := net.Dial("tcp", address) //nolint:noctx // on this machine
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 5)
	if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "hello" {
		t.Fatalf("read %q, %v", answer, err)
	}
	if took := time.Since(start); took < 2*delay {
		t.Errorf("a round trip took %v, want at least %v", took, 2*delay)
	}
	if n := p.bytes.Load(); n != 10 {
		t.Errorf("%d bytes counted, want 10", n)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
	if _, err := conn.Read(answer); err == nil {
		t.Error("the connection is open after close")
	}
	_ = conn.Close() // only read
}
