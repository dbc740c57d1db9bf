package tail

import (
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/clitest"
	"makechain/internal/cli/query"
	"makechain/internal/jsonform"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// cutter is a proxy in front of a node that can close its connections.
type cutter struct {
	net.Listener

	mu     sync.Mutex
	target string     // guarded by mu, as are the others
	open   []net.Conn // both ends of each
	shut   bool       // new connections are closed at once
}

func newCutter(t *testing.T, target string) *cutter {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{Listener: listener, target: target}
	t.Cleanup(func() {
		_ = listener.Close()
		c.cut(true)
	})
	go c.serve(t.Context())
	return c
}

func (c *cutter) serve(ctx context.Context) {
	for {
		near, err := c.Accept()
		if err != nil {
			return
		}
		c.mu.Lock()
		far, err := new(net.Dialer).DialContext(ctx, "tcp", c.target)
		if err != nil || c.shut {
			_ = near.Close()
		} else {
			c.open = append(c.open, near, far)
			go pass(near, far)
			go pass(far, near)
		}
		c.mu.Unlock()
	}
}

func pass(to io.WriteCloser, from io.Reader) {
	_, _ = io.Copy(to, from) // it ends when either side does
	_ = to.Close()
}

// cut closes all connections. With shut, new ones are closed too.
func (c *cutter) cut(shut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = shut
	for _, connection := range c.open {
		_ = connection.Close()
	}
	c.open = nil
}

// TestTailResumes checks that every message is printed once and in order over a connection that breaks repeatedly, in
// the middle of blocks and between them, and for some time.
//
// Rules: P10.7.
func TestTailResumes(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	alice := nodetest.NewAccount(t)
	n.Register(alice, 1, "alice")
	between := newCutter(t, n.GRPCAddr())

	const rounds, each = 5, 40
	command, printed, notes := clitest.Command(New(),
		"--json", "--node", between.Addr().String(), "--owner", alice.Address().String(), "--from", "0", "--type", "link_add",
		"--count", strconv.Itoa(rounds*each), "--config-dir", t.TempDir())
	ended := make(chan error, 1)
	go func() { ended <- command.ExecuteContext(t.Context()) }()

	var sent []message.Hash
	for round := range rounds {
		for range each {
			target := nodetest.Random(t)
			m := alice.Sign(message.Follow(message.Address(target[:20])))
			n.Submit(t, m)
			sent = append(sent, m.Hash)
		}
		// The connection is closed when some of them are printed, so that others are lost.
		nodetest.Await(t, "some messages", func() bool { return strings.Count(printed.String(), "\n") > round*each })
		between.cut(round%2 == 1)
		if round < rounds-1 { // in the last round all may have arrived before
			nodetest.Await(t, "a note about the connection", func() bool { return strings.Count(notes.String(), "connection lost") > round })
		}
		between.cut(false)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	last := query.Position{}
	got := map[string]bool{}
	for line := range strings.Lines(printed.String()) {
		m := new(pb.Message)
		if err := jsonform.Unmarshal([]byte(line), m); err != nil {
			t.Fatal(err)
		}
		at := query.PositionOf(m)
		if at.Block < last.Block || at.Block == last.Block && at.Index <= last.Index && last.HasIndex {
			t.Errorf("%s was printed after %s", at, last)
		}
		last = at
		got[string(m.GetHash())] = true
	}
	for _, hash := range sent {
		if !got[string(hash[:])] {
			t.Errorf("message %s was not printed", hash)
		}
	}
	if !strings.Contains(notes.String(), "note: reconnected, continuing after ") {
		t.Errorf("the notes are %q", notes.String())
	}
}

// TestTailRefusesAnotherChain checks that tail ends when the node at an address serves another chain after a reconnect.
func TestTailRefusesAnotherChain(t *testing.T) {
	t.Parallel()
	before, after := nodetest.Start(t, t.TempDir()), nodetest.Start(t, t.TempDir())
	between := newCutter(t, before.GRPCAddr())
	command, printed, _ := clitest.Command(New(), "blocks", "--from", "0", "--node", between.Addr().String(), "--config-dir", t.TempDir())
	ended := make(chan error, 1)
	go func() { ended <- command.ExecuteContext(t.Context()) }()
	before.Register(nodetest.NewAccount(t), 1, "alice")
	nodetest.Await(t, "a block", func() bool { return printed.String() != "" })
	between.mu.Lock()
	between.target = after.GRPCAddr()
	between.mu.Unlock()
	between.cut(false)
	if err := <-ended; err == nil || !strings.Contains(err.Error(), " now, not ") {
		t.Errorf("ended with %v", err)
	}
}
