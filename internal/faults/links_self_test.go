package faults_test

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// brief is far less than a machine under load takes to notice that it waited in vain, and is only ever waited for when
// nothing must come.
const brief = 100 * time.Millisecond

// echo is a node that says what it hears.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it returns at once
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			heard, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(heard, heard) }()
		}
	}()
	return listener.Addr().String()
}

// call dials along a way.
func call(t *testing.T, l *links, w way) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", l.addresses[w]) //nolint:noctx // to a proxy of the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func say(t *testing.T, conn net.Conn, word string) {
	t.Helper()
	if _, err := io.WriteString(conn, word); err != nil {
		t.Fatal(err)
	}
}

// hears waits for a word.
func hears(t *testing.T, conn net.Conn, word string) {
	t.Helper()
	heard := make([]byte, len(word))
	if _, err := io.ReadFull(conn, heard); err != nil || string(heard) != word {
		t.Fatalf("heard %q, %v, want %q", heard, err, word)
	}
}

// isDeaf waits a while for nothing.
func isDeaf(t *testing.T, conn net.Conn) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(brief)); err != nil {
		t.Fatal(err)
	}
	var netError net.Error
	if n, err := conn.Read(make([]byte, 1)); !errors.As(err, &netError) || !netError.Timeout() {
		t.Errorf("heard %d bytes, %v, want none", n, err)
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
}

// TestLinksStall holds back one direction, then the other. Nothing is lost, in whichever it is held.
func TestLinksStall(t *testing.T) {
	t.Parallel()
	l := newLinks(t, []string{echo(t), echo(t)})
	w := way{0, 1}
	conn := call(t, l, w)
	say(t, conn, "hello")
	hears(t, conn, "hello")
	for _, stalled := range []way{w, w.back()} {
		l.gates[stalled].stall(true)
		l.gates[stalled].stall(true) // twice is once
		say(t, conn, "anyone")
		isDeaf(t, conn)
		l.gates[stalled].stall(false)
		l.gates[stalled].stall(false)
		hears(t, conn, "anyone")
	}
}

// TestLinksDelay has words arrive late and in their order.
func TestLinksDelay(t *testing.T) {
	t.Parallel()
	l := newLinks(t, []string{echo(t), echo(t)})
	w := way{1, 0}
	conn := call(t, l, w)
	l.gates[w].slow(brief)
	begin := time.Now()
	say(t, conn, "one")
	say(t, conn, "two")
	hears(t, conn, "onetwo")
	if took := time.Since(begin); took < brief {
		t.Errorf("took %v, want at least %v", took, brief)
	}
}

// TestLinksReset breaks connections, of whoever dialled, and refuses new ones while two nodes are cut off.
func TestLinksReset(t *testing.T) {
	t.Parallel()
	l := newLinks(t, []string{echo(t), echo(t), echo(t)})
	w, other := way{0, 1}, way{2, 1}
	meet := func(w way) net.Conn {
		conn := call(t, l, w)
		say(t, conn, "hello")
		hears(t, conn, "hello")
		return conn
	}
	mustBreak := func(conn net.Conn) {
		if n, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("heard %d bytes of a broken connection", n)
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
	say(t, kept, "still")
	hears(t, kept, "still")
}
