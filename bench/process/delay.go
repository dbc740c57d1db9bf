package process

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"makechain/internal/testnet"
)

const (
	// delayChunk is the read size of a proxy, and maxChunksInFlight the number of chunks that one direction holds back.
	delayChunk        = 32 << 10
	maxChunksInFlight = 4096
	proxyDialTimeout  = 3 * time.Second
	configMode        = 0o644
)

// Delay returns the one-way latency between two nodes, by their indices.
type Delay func(from, to int) time.Duration

// proxies are TCP proxies between the nodes of a network, one for each direction of dialling. They delay all bytes and count
// them.
type proxies struct {
	bytes atomic.Int64 // forwarded in all directions

	mu        sync.Mutex
	listeners []net.Listener    // guarded by mu
	conns     map[net.Conn]bool // guarded by mu; nil after close
}

// newProxies starts proxies between all nodes of a network and makes the nodes dial them instead of each other.
func newProxies(ctx context.Context, made *testnet.Network, delay Delay) (*proxies, error) {
	p := &proxies{conns: map[net.Conn]bool{}}
	for from := range made.Nodes {
		var replaced []string
		for to := range made.Nodes {
			if from == to {
				continue
			}
			listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
			if err != nil {
				return nil, errors.Join(err, p.close())
			}
			p.listeners = append(p.listeners, listener)
			node := &made.Nodes[to]
			replaced = append(replaced, node.Peer(), node.ID+"@"+listener.Addr().String())
			go p.accept(listener, node.P2P, delay(from, to), delay(to, from))
		}
		if err := replaceInFile(filepath.Join(made.Nodes[from].Home, "config.toml"), replaced); err != nil {
			return nil, errors.Join(err, p.close())
		}
	}
	return p, nil
}

// replaceInFile replaces strings in a file, given in pairs.
func replaceInFile(path string, pairs []string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.NewReplacer(pairs...).Replace(string(content))), configMode)
}

// accept forwards connections to an address.
func (p *proxies) accept(listener net.Listener, address string, there, back time.Duration) {
	for {
		dialler, err := listener.Accept()
		if err != nil {
			return // closed
		}
		go func() {
			dialled, err := net.DialTimeout("tcp", address, proxyDialTimeout) //nolint:noctx // has a timeout
			if err != nil {
				_ = dialler.Close() // the node is not ready yet
				return
			}
			if !p.add(dialler, dialled) {
				return
			}
			go p.forward(dialler, dialled, there)
			go p.forward(dialled, dialler, back)
		}()
	}
}

// add registers connections. It closes them if the proxies are closed already.
func (p *proxies) add(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		if p.conns == nil {
			_ = conn.Close() // nobody reads from it
			continue
		}
		p.conns[conn] = true
	}
	return p.conns != nil
}

// remove closes connections.
func (p *proxies) remove(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		delete(p.conns, conn)
		_ = conn.Close() // the other direction may have closed it
	}
}

// delayed is a chunk in flight.
type delayed struct {
	bytes []byte
	due   time.Time
}

// forward copies one direction until either end is closed.
func (p *proxies) forward(from, to net.Conn, delay time.Duration) {
	defer p.remove(from, to)
	inFlight := make(chan delayed, maxChunksInFlight)
	done := make(chan struct{})
	defer close(done)
	go func() {
		defer close(inFlight)
		buffer := make([]byte, delayChunk)
		for {
			n, err := from.Read(buffer)
			if n > 0 {
				select {
				case inFlight <- delayed{append([]byte(nil), buffer[:n]...), time.Now().Add(delay)}:
				case <-done:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	for chunk := range inFlight {
		time.Sleep(time.Until(chunk.due))
		p.bytes.Add(int64(len(chunk.bytes)))
		if _, err := to.Write(chunk.bytes); err != nil {
			return
		}
	}
}

// close closes all connections.
func (p *proxies) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	closing := make([]io.Closer, 0, len(p.listeners)+len(p.conns))
	for _, listener := range p.listeners {
		closing = append(closing, listener)
	}
	for conn := range p.conns {
		closing = append(closing, conn)
	}
	p.listeners, p.conns = nil, nil
	var err error
	for _, c := range closing {
		if closed := c.Close(); !errors.Is(closed, net.ErrClosed) {
			err = errors.Join(err, closed)
		}
	}
	return err
}
