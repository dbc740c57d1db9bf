package faults_test

import (
	"net"
	"sync"
	"testing"
	"time"
)

const (
	// chunk is the read size of a link, and maxChunksInFlight the number of chunks that it buffers.
	chunk             = 32 << 10
	maxChunksInFlight = 256

	dialTimeout = 3 * time.Second
)

// way is the direction from one node to another.
type way struct{ from, to int }

func (w way) back() way { return way{w.to, w.from} }

// links are the proxies between nodes. Each pair of nodes has an address for each direction of dialling. A fault of a direction
// affects all bytes in that direction, whichever node dialled.
type links struct {
	addresses map[way]string // of the proxy
	gates     map[way]*gate

	mu        sync.Mutex
	listeners []net.Listener   // guarded by mu
	tunnels   map[*tunnel]bool // open connections; guarded by mu
	refusing  map[way]bool     // new connections between the two, in either direction; guarded by mu
}

// newLinks starts proxies between nodes, by their addresses. They stop with the test.
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
			listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // returns at once
			if err != nil {
				tb.Fatal(err)
			}
			w := way{from, to}
			l.addresses[w], l.gates[w] = listener.Addr().String(), newGate()
			l.listeners = append(l.listeners, listener)
			accepting = append(accepting, func() { l.accept(listener, w, address) })
		}
	}
	for _, accept := range accepting { // all gates exist now
		go accept()
	}
	return l
}

// accept forwards connections to a node.
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
	dialled, err := net.DialTimeout("tcp", address, dialTimeout) //nolint:noctx // has a timeout
	if err != nil {
		_ = dialler.Close() // the node is down
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

// open registers a tunnel, and reports false if connections between the two nodes are refused.
func (l *links) open(t *tunnel) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tunnels == nil || l.refusing[t.way] || l.refusing[t.way.back()] {
		return false
	}
	l.tunnels[t] = true
	return true
}

// reset closes the connections between two nodes. They may reconnect.
func (l *links) reset(w way) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range l.tunnels {
		if t.way == w || t.way == w.back() {
			t.close()
		}
	}
}

// refuse closes the connections between two nodes and refuses new ones, or allows them again.
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
		_ = listener.Close() // no longer used
	}
	for t := range l.tunnels {
		t.close()
	}
	l.tunnels = nil
}

// gate controls the traffic in one direction.
type gate struct {
	mu    sync.Mutex
	open  chan struct{} // closed while traffic flows; guarded by mu
	delay time.Duration // guarded by mu
}

func newGate() *gate {
	g := &gate{open: make(chan struct{})}
	close(g.open)
	return g
}

// stall stops all traffic, including bytes in flight, or resumes it.
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

// slow delays traffic from now on.
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
	way  way // from the dialling node
	ends [2]net.Conn
	once sync.Once
	done chan struct{} // closed with the connection
}

func (t *tunnel) close() {
	t.once.Do(func() {
		close(t.done)
		for _, end := range t.ends {
			_ = end.Close() // readers and writers get an error
		}
	})
}

// packet is a chunk in flight.
type packet struct {
	bytes []byte
	due   time.Time
}

// carry copies one direction through a gate until either end is closed.
func (t *tunnel) carry(from, to net.Conn, through *gate) {
	defer t.close()
	inFlight := make(chan packet, maxChunksInFlight)
	go func() {
		defer close(inFlight)
		for {
			bytes := make([]byte, chunk)
			n, err := from.Read(bytes)
			if err != nil {
				return
			}
			_, delay := through.state()
			select {
			case inFlight <- packet{bytes[:n], time.Now().Add(delay)}:
			case <-t.done:
				return
			}
		}
	}()
	for p := range inFlight {
		if !t.pass(p, through) {
			return
		}
		if _, err := to.Write(p.bytes); err != nil {
			return
		}
	}
}

// pass waits until a packet is due and the gate is open. It reports false if the connection was closed before.
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
