package faults_test

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// quietTime is how long a test waits to check that nothing is received.
const quietTime = 100 * time.Millisecond

// echo starts a server that echoes its input.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // returns at once
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			delivered, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(delivered, delivered) }()
		}
	}()
	return listener.Addr().String()
}

// call dials through a link.
func call(t *testing.T, l *links, w way) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", l.addresses[w]) //nolint:noctx // to a proxy of the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func send(t *testing.T, conn net.Conn, word string) {
	t.Helper()
	if _, err := io.WriteString(conn, word); err != nil {
		t.Fatal(err)
	}
}

// receives checks that a text is received.
func receives(t *testing.T, conn net.Conn, word string) {
	t.Helper()
	delivered := make([]byte, len(word))
	if _, err := io.ReadFull(conn, delivered); err != nil || string(delivered) != word {
		t.Fatalf("received %q, %v, want %q", delivered, err, word)
	}
}

// receivesNothing checks that nothing is received.
func receivesNothing(t *testing.T, conn net.Conn) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(quietTime)); err != nil {
		t.Fatal(err)
	}
	var netError net.Error
	if n, err := conn.Read(make([]byte, 1)); !errors.As(err, &netError) || !netError.Timeout() {
		t.Errorf("received %d bytes, %v, want none", n, err)
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
}

// TestLinksStall checks that a stalled direction delivers nothing until it is resumed, and then everything.
func TestLinksStall(t *testing.T) {
	t.Parallel()
	l := newLinks(t, []string{echo(t), echo(t)})
	w := way{0, 1}
	conn := call(t, l, w)
	send(t, conn, "hello")
	receives(t, conn, "hello")
	for _, stalled := range []way{w, w.back()} {
		l.gates[stalled].stall(true)
		l.gates[stalled].stall(true) // twice is once
		send(t, conn, "anyone")
		receivesNothing(t, conn)
		l.gates[stalled].stall(false)
		l.gates[stalled].stall(false)
		receives(t, conn, "anyone")
	}
}

// TestLinksDelay has words arrive late and in their order.
func TestLinksDelay(t *testing.T) {
	t.Parallel()
	l := newLinks(t, []string{echo(t), echo(t)})
	w := way{1, 0}
	conn := call(t, l, w)
	l.gates[w].slow(quietTime)
	begin := time.Now()
	send(t, conn, "one")
	send(t, conn, "two")
	receives(t, conn, "onetwo")
	if took := time.Since(begin); took < quietTime {
		t.Errorf("took %v, want at least %v", took, quietTime)
	}
}

// TestLinksReset checks that connections are reset in both directions, and that new ones are refused while two nodes are cut off.
func TestLinksReset(t *testing.T) {
	t.Parallel()
	l := newLinks(t, []string{echo(t), echo(t), echo(t)})
	w, other := way{0, 1}, way{2, 1}
	meet := func(w way) net.Conn {
		conn := call(t, l, w)
		send(t, conn, "hello")
		receives(t, conn, "hello")
		return conn
	}
	mustBreak := func(conn net.Conn) {
		if n, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("received %d bytes on a reset connection", n)
		}
	}
	dialled, dialling, kept := meet(w), meet(w.back()), meet(other)
	l.reset(w)
	mustBreak(dialled)
	mustBreak(dialling)
	again := meet(w)
	l.refuse(w, true)
	mustBreak(again)
	mustBreak(call(t, l, w))
	mustBreak(call(t, l, w.back()))
	l.refuse(w, false)
	meet(w)
	send(t, kept, "still")
	receives(t, kept, "still")
}
