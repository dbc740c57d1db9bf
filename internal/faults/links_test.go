package faults_test

import (
	"net"
	"sync"
	"testing"
	"time"
)

const (
	// chunk is how much a link takes up at a time, and chunksUnderWay how many of them wait in it before the sender does.
	chunk          = 32 << 10
	chunksUnderWay = 256

	dialTimeout = 3 * time.Second
)

// way is the direction from one node to another.
type way struct{ from, to int }

func (w way) back() way { return way{w.to, w.from} }

// links carry everything that nodes say to one another. A node reaches another at an address of its own, so that it is
// known who dialled whom. What happens to a way happens to all that goes along it, whoever dialled.
type links struct {
	addresses map[way]string // where the one reaches the other
	gates     map[way]*gate

	mu        sync.Mutex
	listeners []net.Listener   // guarded by mu
	tunnels   map[*tunnel]bool // that are open; guarded by mu
	refusing  map[way]bool     // new connections between the two, in either direction; guarded by mu
}

// newLinks makes ways between nodes that listen at addresses of their own. They end with the test.
func newLinks(tb testing.TB, nodes []string) *links {
	tb.Helper()
	l := &links{
		addresses: map[way]string{}, gates: map[way]*gate{}, tunnels: map[*tunnel]bool{}, refusing: map[way]bool{},
	}
	tb.Cleanup(l.close)
	var accepting []func()
	for from := range nodes {
		for to, address := range nodes {
			if from == to {
				continue
			}
			listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it returns at once
			if err != nil {
				tb.Fatal(err)
			}
			w := way{from, to}
			l.addresses[w], l.gates[w] = listener.Addr().String(), newGate()
			l.listeners = append(l.listeners, listener)
			accepting = append(accepting, func() { l.accept(listener, w, address) })
		}
	}
	for _, accept := range accepting { // only now are all gates known
		go accept()
	}
	return l
}

// accept connects who dials to the node at an address.
func (l *links) accept(listener net.Listener, w way, address string) {
	for {
		dialler, err := listener.Accept()
		if err != nil {
			return // closed
		}
		go l.connect(dialler, w, address)
	}
}

func (l *links) connect(dialler net.Conn, w way, address string) {
	dialled, err := net.DialTimeout("tcp", address, dialTimeout) //nolint:noctx // it has a timeout
	if err != nil {
		_ = dialler.Close() // the node is away
		return
	}
	t := &tunnel{way: w, ends: [2]net.Conn{dialler, dialled}, done: make(chan struct{})}
	if !l.open(t) {
		t.close()
		return
	}
	var carrying sync.WaitGroup
	carrying.Go(func() { t.carry(dialler, dialled, l.gates[w]) })
	carrying.Go(func() { t.carry(dialled, dialler, l.gates[w.back()]) })
	carrying.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tunnels, t)
}

// open notes a tunnel, unless the two are cut off from one another.
func (l *links) open(t *tunnel) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tunnels == nil || l.refusing[t.way] || l.refusing[t.way.back()] {
		return false
	}
	l.tunnels[t] = true
	return true
}

// reset breaks the connections between two nodes. They may connect anew.
func (l *links) reset(w way) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range l.tunnels {
		if t.way == w || t.way == w.back() {
			t.close()
		}
	}
}

// refuse breaks the connections between two nodes, and lets none come about or, later, all.
func (l *links) refuse(w way, refused bool) {
	l.mu.Lock()
	l.refusing[w] = refused
	l.mu.Unlock()
	if refused {
		l.reset(w)
	}
}

func (l *links) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, listener := range l.listeners {
		_ = listener.Close() // nobody dials it any more
	}
	for t := range l.tunnels {
		t.close()
	}
	l.tunnels = nil
}

// gate is what becomes of the bytes that go one way.
type gate struct {
	mu    sync.Mutex
	open  chan struct{} // is closed while bytes pass; guarded by mu
	delay time.Duration // guarded by mu
}

func newGate() *gate {
	g := &gate{open: make(chan struct{})}
	close(g.open)
	return g
}

// stall holds back all bytes, those under way too, or lets them go on.
func (g *gate) stall(stalled bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
		if stalled {
			g.open = make(chan struct{})
		}
	default:
		if !stalled {
			close(g.open)
		}
	}
}

// slow has all that comes from now on arrive late.
func (g *gate) slow(delay time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.delay = delay
}

func (g *gate) state() (open <-chan struct{}, delay time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open, g.delay
}

// tunnel is a connection between two nodes.
type tunnel struct {
	way  way // from who dialled
	ends [2]net.Conn
	once sync.Once
	done chan struct{} // is closed with the connection
}

func (t *tunnel) close() {
	t.once.Do(func() {
		close(t.done)
		for _, end := range t.ends {
			_ = end.Close() // who reads or writes is told
		}
	})
}

// packet is a piece of what is under way.
type packet struct {
	bytes []byte
	due   time.Time
}

// carry moves what one end sends to the other, through a gate, until either is gone.
func (t *tunnel) carry(from, to net.Conn, through *gate) {
	defer t.close()
	underWay := make(chan packet, chunksUnderWay)
	go func() {
		defer close(underWay)
		for {
			bytes := make([]byte, chunk)
			n, err := from.Read(bytes)
			if err != nil {
				return
			}
			_, delay := through.state()
			select {
			case underWay <- packet{bytes[:n], time.Now().Add(delay)}:
			case <-t.done:
				return
			}
		}
	}()
	for p := range underWay {
		if !t.pass(p, through) {
			return
		}
		if _, err := to.Write(p.bytes); err != nil {
			return
		}
	}
}

// pass waits until a packet is due and the gate open. It is false when the connection ended before.
func (t *tunnel) pass(p packet, through *gate) bool {
	if wait := time.Until(p.due); wait > 0 {
		select {
		case <-time.After(wait):
		case <-t.done:
			return false
		}
	}
	open, _ := through.state()
	select {
	case <-open:
		return true
	case <-t.done:
		return false
	}
}
