package loadtest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"makechain/bench/process"
	"makechain/bench/workload"
	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// TestCallers checks responses and errors of both protocols, with repeated calls on the same connection.
func TestCallers(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, filepath.Join(t.TempDir(), "home"))
	missing, err := proto.Marshal(&pb.GetProjectRequest{ProjectId: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	for _, protocol := range []string{ProtocolGRPC, ProtocolConnect} {
		b := &Generator{options: Options{Nodes: []process.Node{{Address: n.GRPCAddr()}}, Protocol: protocol}}
		callers, err := b.callers(6, b.options.Nodes)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range callers {
			for range 3 {
				answer, err := l.call(t.Context(), makechainpbconnect.MakechainServiceGetNodeStatusProcedure, nil)
				var status pb.GetNodeStatusResponse
				if err := errors.Join(err, proto.Unmarshal(answer, &status)); err != nil || status.GetNetwork() != pb.Network_NETWORK_DEVNET {
					t.Errorf("%s: the status is %v, %v", protocol, &status, err)
				}
				_, err = l.call(t.Context(), makechainpbconnect.MakechainServiceGetProjectProcedure, missing)
				if connect.CodeOf(err) != connect.CodeNotFound {
					t.Errorf("%s: reading a missing project: %v", protocol, err)
				}
			}
		}
		closeAll(callers)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := callers[0].call(ctx, makechainpbconnect.MakechainServiceGetNodeStatusProcedure, nil); err == nil {
			t.Errorf("%s: a call succeeded after its context ended", protocol)
		}
	}
	b := &Generator{options: Options{Nodes: []process.Node{{}}, Protocol: "unknown"}}
	if _, err := b.callers(1, b.options.Nodes); err == nil {
		t.Error("an unknown protocol was accepted")
	}
}

// TestSubmitErrors checks that a full mempool is a refusal, and that other failures are errors.
func TestSubmitErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		body   string
		want   string // "" for a refusal
	}{
		{http.StatusTooManyRequests, `{"code":"resource_exhausted","message":"the mempool is full"}`, ""},
		{http.StatusServiceUnavailable, `{"code":"unavailable","message":"the node stops"}`, "the node stops"},
		{http.StatusBadGateway, "<html>", "status 502"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		to := newHTTPCaller(strings.TrimPrefix(server.URL, "http://"))
		got, err := submit(t.Context(), to, &workload.Request{Messages: 1})
		if test.want == "" && (err != nil || got.refused[message.CodeMempoolFull] != 1) {
			t.Errorf("%s: %+v, %v", test.body, got, err)
		}
		if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.body, err, test.want)
		}
		to.close()
		server.Close()
	}
}

// TestUnreachable checks calls to an address on which no server listens.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for _, l := range []caller{newHTTPCaller(address), newGRPCCaller(newGRPCConnection(address))} {
		if _, err := l.call(t.Context(), "/any", nil); connect.CodeOf(err) != connect.CodeUnavailable {
			t.Errorf("%T: %v, want unavailable", l, err)
		}
		l.close()
	}
}

// TestLanes checks the limits of the number of lanes.
func TestLanes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		perSecond     float64
		maximum, want int
	}{{0.001, 64, 1}, {1, 64, 30}, {20, 16, 16}, {10_000, 256, 256}} {
		if got := lanesAt(test.perSecond, test.maximum); got != test.want {
			t.Errorf("%v calls per second have %d lanes, want %d", test.perSecond, got, test.want)
		}
	}
}
