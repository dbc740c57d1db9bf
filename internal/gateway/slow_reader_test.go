package gateway_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/gateway"
	"makechain/internal/node/nodetest"
	"makechain/internal/server"
)

// largeNode is a node whose lists of blocks are larger than the buffers of a connection.
type largeNode struct {
	fake

	lists *atomic.Int64
}

func (n largeNode) ListBlocks(context.Context, *connect.Request[pb.ListBlocksRequest]) (*connect.Response[pb.ListBlocksResponse], error) {
	n.lists.Add(1)
	return connect.NewResponse(&pb.ListBlocksResponse{NextCursor: make([]byte, 3<<19)}), nil
}

// TestSlowReaders requests lists of blocks over many connections that do not read. Few lists are in memory, in a node and in
// a gateway in front of one.
// Rules: REST.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	const (
		requests = 200
		memory   = 64 << 20
		most     = 10 // lists of 6 MiB
	)
	for _, test := range []struct {
		name     string
		upstream func(*testing.T, makechainpbconnect.MakechainServiceHandler) *gateway.Upstream
	}{
		{"in a node", inProcess},
		{"in front of a node", func(t *testing.T, service makechainpbconnect.MakechainServiceHandler) *gateway.Upstream {
			t.Helper()
			_, handler := makechainpbconnect.NewMakechainServiceHandler(service)
			node := httptest.NewUnstartedServer(handler)
			node.Config.Protocols = new(http.Protocols)
			node.Config.Protocols.SetUnencryptedHTTP2(true)
			node.Start()
			t.Cleanup(node.Close)
			return dial(t, node.URL)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			lists := new(atomic.Int64)
			config := server.Config{Limits: server.Limits{
				MaxResponseMemory: memory, ResponseWait: time.Hour, WriteTimeout: time.Hour,
			}}
			g := start(t, config, test.upstream(t, largeNode{lists: lists}))
			for range requests {
				conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(g.URL(), "http://"))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = conn.Close() })
				_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // the default is large enough for the response
				if _, err := fmt.Fprint(conn, "GET /v1/blocks?limit=200 HTTP/1.1\r\nHost: node\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
			}
			nodetest.Await(t, "all requests", func() bool {
				return lists.Load() >= most/2 && strings.Contains(string(ask(t, http.MethodGet, g.URL()+"/metrics", http.NoBody).body),
					fmt.Sprintf("makechain_http_in_flight %d\n", requests+1)) // and that of the metrics
			})
			if got := lists.Load(); got > most {
				t.Errorf("%d lists are in memory, want at most %d", got, most)
			}
		})
	}
}
