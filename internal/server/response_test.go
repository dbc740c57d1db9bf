package server

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/wrapperspb"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
)

const listMethod = makechainpbconnect.MakechainServiceListBlocksProcedure

// largeList returns a list that does not compress and is larger than the buffers of a connection.
func largeList() *pb.ListBlocksResponse {
	hash := make([]byte, 3<<19)
	state := uint32(1)
	for i := range hash {
		state = state*1_664_525 + 1_013_904_223
		hash[i] = byte(state >> 24)
	}
	return &pb.ListBlocksResponse{NextCursor: hash}
}

// A lazyClient sends requests for large responses and does not read them.
type lazyClient struct {
	name string
	send func(t *testing.T, r *running, n int)
}

func lazyClients() []lazyClient {
	return []lazyClient{
		{"Connect over HTTP/1.1", func(t *testing.T, r *running, n int) {
			t.Helper()
			for range n {
				s := r.dial(t, "127.0.0.1")
				_ = s.Conn.(*net.TCPConn).SetReadBuffer(4 << 10) // the default is large enough for the response
				if _, err := fmt.Fprintf(s, "POST %s HTTP/1.1\r\nHost: node\r\nContent-Type: application/proto\r\nContent-Length: 0\r\n\r\n", listMethod); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{"gRPC", func(t *testing.T, r *running, n int) {
			t.Helper()
			lazyHTTP2(t, r, n, "application/grpc", make([]byte, 5))
		}},
		{"gRPC-web", func(t *testing.T, r *running, n int) {
			t.Helper()
			lazyHTTP2(t, r, n, "application/grpc-web", make([]byte, 5))
		}},
	}
}

// lazyHTTP2 opens streams of one connection whose windows stay closed.
func lazyHTTP2(t *testing.T, r *running, n int, contentType string, body []byte) {
	t.Helper()
	client := grpc().client(t)
	client.Transport.(*http.Transport).HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10, MaxReceiveBufferPerConnection: 64 << 10}
	for range n {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+listMethod, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", contentType)
		request.Header.Set("TE", "trailers")
		go func() { _, _ = client.Do(request) }() //nolint:bodyclose // it is not read, and ends with the context
	}
}

// TestSlowReadersOfLargeResponses sends many requests for large responses and reads none of them. Few responses are in memory,
// and other clients are served.
func TestSlowReadersOfLargeResponses(t *testing.T) {
	t.Parallel()
	const (
		requests = 200
		memory   = 64 << 20
		most     = memory / clientShare / readReserve
	)
	for _, lazy := range lazyClients() {
		t.Run(lazy.name, func(t *testing.T) {
			t.Parallel()
			var built atomic.Int64
			r := start(t, Config{Limits: Limits{
				MaxResponseMemory: memory, LimitLoopback: true, RequestsPerSecond: -1,
				ResponseWait: time.Hour, WriteTimeout: time.Hour, UnaryTimeout: time.Hour, ShutdownTimeout: time.Millisecond,
			}}, &services{list: func() *pb.ListBlocksResponse {
				built.Add(1)
				return largeList()
			}})
			lazy.send(t, r, requests)
			eventually(t, func() bool {
				return r.metric(t, "makechain_rpc_in_flight", listMethod) >= requests-most && built.Load() > 0
			},
				func() { t.Errorf("%v calls are running", r.metric(t, "makechain_rpc_in_flight", listMethod)) })
			if got := built.Load(); got > most {
				t.Errorf("%d responses are in memory, want at most %d", got, most)
			}

			other := &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).DialContext}
			t.Cleanup(other.CloseIdleConnections)
			client := makechainpbconnect.NewMakechainServiceClient(&http.Client{Transport: other}, r.url)
			if _, err := client.ListBlocks(t.Context(), connect.NewRequest(&pb.ListBlocksRequest{})); err != nil {
				t.Errorf("another address is not served: %v", err)
			}
			if _, err := newHealthClient(t, grpc(), r, "Check").CallUnary(t.Context(), connect.NewRequest(wrapperspb.String(""))); err != nil {
				t.Errorf("health is not served: %v", err)
			}
		})
	}
}

// TestResponseMemory checks that memory is released with the responses, and that requests beyond it are rejected.
func TestResponseMemory(t *testing.T) {
	t.Parallel()
	block := make(chan struct{})
	entered := make(chan struct{}, 4)
	waiting := FromHandler("/wait", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		select {
		case <-block:
		case <-r.Context().Done():
		}
	}))
	r := start(t, Config{Limits: Limits{MaxResponseMemory: 4 * requestMemory, RequestsPerSecond: -1}}, &services{}, waiting)
	for range 4 {
		go func() { _, _ = http.Get(r.url + "/wait") }() //nolint:bodyclose,noctx // it ends with the test
	}
	for range 4 {
		await(t, entered, "the running requests")
	}
	if got := r.send(t, http.MethodGet, "/wait", http.NoBody, nil); got.status != http.StatusTooManyRequests {
		t.Errorf("a request beyond the limit is answered with %d", got.status)
	}
	for _, p := range protocols() {
		wantCode(t, claimAs(t, p, r, "busy"), connect.CodeResourceExhausted)
	}
	close(block)
	eventually(t, func() bool { return claimAs(t, grpc(), r, "free") == nil }, func() { t.Error("the memory is not released") })
}

// A slowWriter accepts each write after a pause, or fails when its deadline passes.
type slowWriter struct {
	http.ResponseWriter

	pause   time.Duration
	expired chan struct{}
}

func (w *slowWriter) SetWriteDeadline(deadline time.Time) error {
	if !deadline.IsZero() && !deadline.After(time.Now()) {
		close(w.expired)
	}
	return nil
}

func (*slowWriter) SetReadDeadline(time.Time) error { return nil }

func (w *slowWriter) Write(p []byte) (int, error) {
	select {
	case <-time.After(w.pause):
		return len(p), nil
	case <-w.expired:
		return 0, os.ErrDeadlineExceeded
	}
}

// TestMinimumRate checks that a client which accepts each write shortly before its timeout cannot hold a response for long,
// and that a client which is fast enough may take as long as it needs.
func TestMinimumRate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		writes  int
		bytes   int
		pause   time.Duration
		refused bool
	}{
		{"too slow", 1_000, 4 << 10, 29 * time.Second, true},
		{"fast enough", 1_000, 256 << 10, 3 * time.Second, false},
		{"one large write", 1, 4 << 20, 80 * time.Second, false},
		{"one write that is too slow", 1, 4 << 20, 100 * time.Second, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var err error
				handler := withDeadlines(Limits{WriteTimeout: 30 * time.Second}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					for range test.writes {
						if _, err = w.Write(make([]byte, test.bytes)); err != nil {
							return
						}
					}
				}))
				request, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, "/", http.NoBody)
				start := time.Now()
				handler.ServeHTTP(&slowWriter{pause: test.pause, expired: make(chan struct{})}, request)
				if (err != nil) != test.refused {
					t.Errorf("ended with %v after %s", err, time.Since(start))
				}
				if test.refused && time.Since(start) > 2*time.Minute {
					t.Errorf("the response was held for %s", time.Since(start))
				}
			})
		})
	}
}
