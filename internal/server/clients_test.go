package server

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A socket is a connection from a loopback address.
type socket struct {
	net.Conn

	reader *bufio.Reader
}

func (r *running) dial(t *testing.T, from string) *socket {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.DialContext(t.Context(), "tcp", r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &socket{conn, bufio.NewReader(conn)}
}

// answers reports whether a request on the connection is answered.
func (s *socket) answers(t *testing.T) bool {
	t.Helper()
	if err := s.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprint(s, "GET /none HTTP/1.1\r\nHost: node\r\n\r\n"); err != nil {
		return false
	}
	response, err := http.ReadResponse(s.reader, nil)
	if err != nil {
		return false
	}
	readAll(t, response)
	return true
}

// TestClientConnections checks that one address cannot open more connections than its limit, and that others still can.
func TestClientConnections(t *testing.T) {
	t.Parallel()
	r := start(t, Config{Limits: Limits{MaxClientConnections: 3, LimitLoopback: true}}, &services{})
	open := make([]*socket, 3)
	for i := range open {
		if open[i] = r.dial(t, "127.0.0.1"); !open[i].answers(t) {
			t.Fatalf("connection %d is not served", i)
		}
	}
	if r.dial(t, "127.0.0.1").answers(t) {
		t.Error("a connection beyond the limit of one address is served")
	}
	r.wantMetric(t, 1, "makechain_rpc_refused_total", refusedConnections)
	if !r.dial(t, "127.0.0.2").answers(t) {
		t.Error("another address is not served")
	}
	_ = open[0].Close()
	eventually(t, func() bool { return r.dial(t, "127.0.0.1").answers(t) }, func() { t.Error("a closed connection still counts") })
}

// TestAllConnections checks that an address with few connections gets one when all are in use, at the cost of the address
// that has most.
func TestAllConnections(t *testing.T) {
	t.Parallel()
	r := start(t, Config{Limits: Limits{MaxConnections: 5, LimitLoopback: true}}, &services{})
	greedy := make([]*socket, 5)
	for i := range greedy {
		if greedy[i] = r.dial(t, "127.0.0.1"); !greedy[i].answers(t) {
			t.Fatalf("connection %d is not served", i)
		}
	}
	for i := range 2 {
		if !r.dial(t, "127.0.0.2").answers(t) {
			t.Errorf("connection %d of another address is not served", i)
		}
	}
	if r.dial(t, "127.0.0.2").answers(t) {
		t.Error("an address with one connection less than the other takes one of it")
	}
	kept := 0
	for _, s := range greedy {
		if s.answers(t) {
			kept++
		}
	}
	if kept != 3 {
		t.Errorf("the address with most connections keeps %d, want 3", kept)
	}
}

// TestExemptConnections checks that this machine and trusted proxies are not limited like one client.
func TestExemptConnections(t *testing.T) {
	t.Parallel()
	for _, config := range []Config{
		{Limits: Limits{MaxClientConnections: 1}},
		{Limits: Limits{MaxClientConnections: 1, LimitLoopback: true}, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	} {
		r := start(t, config, &services{})
		for range 3 {
			if !r.dial(t, "127.0.0.1").answers(t) {
				t.Error("a connection is not served")
			}
		}
	}
}

// TestClientStreams checks that one address cannot take all streams, and that health, reflection and streams of the process
// itself are available when clients have taken all.
func TestClientStreams(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{
				TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
				Limits:         Limits{MaxStreams: 3, MaxClientStreams: 2},
			}, &services{
				subscribe: func(ctx context.Context, _ *subscribeRequest, stream *messageStream) error {
					return sendAfter(ctx, ctx.Done(), stream)
				},
			})
			client := p.chain(t, r)
			subscribe := func(from string) {
				request := newSubscription()
				request.Header().Set("X-Forwarded-For", from)
				go func() { _, _ = client.SubscribeMessages(t.Context(), request) }()
			}
			refused := func(from string) error {
				request := newSubscription()
				request.Header().Set("X-Forwarded-For", from)
				stream, err := client.SubscribeMessages(t.Context(), request)
				if err == nil {
					_, err = receiveBlocks(stream)
				}
				return err
			}
			for range 2 {
				subscribe("203.0.113.7")
			}
			r.wantMetric(t, 2, "makechain_rpc_streams_open")
			wantCode(t, refused("203.0.113.7"), connect.CodeResourceExhausted)
			subscribe("203.0.113.8")
			r.wantMetric(t, 3, "makechain_rpc_streams_open")
			wantCode(t, refused("203.0.113.9"), connect.CodeResourceExhausted)

			if err := r.CallStream(t.Context(), "/stream", func(context.Context) error { return nil }); err != nil {
				t.Errorf("a stream of the process itself: %v", err)
			}
			watched, err := newHealthClient(t, grpc(), r, "Watch").CallServerStream(t.Context(), connect.NewRequest(wrapperspb.String("")))
			if err != nil || !watched.Receive() {
				t.Errorf("health cannot be watched: %v", err)
			}
		})
	}
}
