package server

import (
	"net"
	"net/netip"
	"slices"
	"sync"

	"makechain/internal/limit"
)

// sendBufferBytes is the size of the kernel's send buffer of a connection. By default it grows to several megabytes for
// clients that do not read.
const sendBufferBytes = 256 << 10

// A clientListener limits the connections of each client and of all clients together. A connection beyond a limit is closed
// when it is accepted, so that it delays no other one.
//
// When all connections are in use, a client that has fewer than others takes the place of one connection of the client that
// has most: however many connections some clients open, others can connect.
type clientListener struct {
	net.Listener

	limits  Limits
	proxies []netip.Prefix
	refused func() // is called for each connection that is closed because of a limit

	mu       sync.Mutex // guards the fields below
	total    int
	byClient map[netip.Prefix]*connections
}

// connections are the open connections of one client.
type connections struct {
	open   map[*clientConn]struct{}
	exempt bool // from the limit of one client: this machine, unless Limits.LimitLoopback is set, and trusted proxies
}

func newClientListener(listener net.Listener, config Config, refused func()) *clientListener {
	return &clientListener{
		Listener: listener, limits: config.Limits, proxies: config.TrustedProxies, refused: refused, byClient: map[netip.Prefix]*connections{},
	}
}

// Accept returns the next connection that is within the limits.
func (l *clientListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tcp, isTCP := conn.(*net.TCPConn); isTCP {
			_ = tcp.SetWriteBuffer(sendBufferBytes) // an error means that the connection is closed already
		}
		admitted, closed := l.admit(conn)
		if closed != nil {
			l.refused()
			_ = closed.Close() // the client may have closed it
		}
		if admitted != nil {
			return admitted, nil
		}
	}
}

// admit counts a connection. It returns nil for one beyond the limits, and the connection to close, if there is one: the new
// connection or one of another client.
func (l *clientListener) admit(conn net.Conn) (admitted *clientConn, closed net.Conn) {
	peer := peerAddress(conn.RemoteAddr().String())
	client := limit.ClientNetwork(peer)
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.byClient[client]
	if own == nil {
		own = &connections{open: map[*clientConn]struct{}{}, exempt: l.isExempt(peer)}
	}
	if !own.exempt && len(own.open) >= l.limits.MaxClientConnections {
		return nil, conn
	}
	if l.total >= l.limits.MaxConnections {
		victim := l.victim(own)
		if victim == nil {
			return nil, conn
		}
		l.remove(victim)
		closed = victim.Conn
	}
	admitted = &clientConn{Conn: conn, listener: l, client: client}
	own.open[admitted] = struct{}{}
	l.byClient[client] = own
	l.total++
	return admitted, closed
}

func (l *clientListener) isExempt(peer netip.Addr) bool {
	return peer.IsLoopback() && !l.limits.LimitLoopback || isIn(l.proxies, peer)
}

// victim returns a connection of the client that has most, or nil if the client with the given connections would then have
// more than that one. l.mu must be held.
func (l *clientListener) victim(own *connections) *clientConn {
	var most *connections
	for _, other := range l.byClient {
		if !other.exempt && (most == nil || len(other.open) > len(most.open)) {
			most = other
		}
	}
	if most == nil || len(most.open) <= len(own.open)+1 {
		return nil
	}
	for conn := range most.open {
		return conn
	}
	return nil
}

// remove stops counting a connection. l.mu must be held.
func (l *clientListener) remove(conn *clientConn) {
	own := l.byClient[conn.client]
	if own == nil {
		return
	}
	if _, isOpen := own.open[conn]; !isOpen {
		return
	}
	delete(own.open, conn)
	l.total--
	if len(own.open) == 0 {
		delete(l.byClient, conn.client)
	}
}

// A clientConn is a connection that counts towards the limits until it is closed.
type clientConn struct {
	net.Conn

	listener *clientListener
	client   netip.Prefix
}

// Close closes the connection.
func (c *clientConn) Close() error {
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// peerAddress returns the address of a peer in the form host:port. It is not valid if the text has another form.
func peerAddress(peer string) netip.Addr {
	address, err := netip.ParseAddrPort(peer)
	if err != nil {
		return netip.Addr{}
	}
	return address.Addr().Unmap().WithZone("")
}

func isIn(networks []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(address) })
}

// streamShares are the limits of open streams. It is safe for concurrent use.
type streamShares struct {
	mu     sync.Mutex // guards shares
	shares limit.Shares
}

func newStreamShares(total, perClient int, limitLoopback bool) *streamShares {
	return &streamShares{shares: limit.Shares{Total: total, PerClient: perClient, LimitLoopback: limitLoopback}}
}

// take takes a stream for a client. It returns errTooManyStreams or errTooManyClientStreams beyond the limits.
func (s *streamShares) take(client netip.Addr) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch ok, totalReached := s.shares.Take(client); {
	case ok:
		return nil
	case totalReached:
		return errTooManyStreams
	default:
		return errTooManyClientStreams
	}
}

// give gives a stream back.
func (s *streamShares) give(client netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shares.Give(client)
}
