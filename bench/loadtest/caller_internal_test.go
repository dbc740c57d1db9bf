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

// TestLinks asks a node by both protocols for what is there and for what is not, again and again on the same link.
func TestLinks(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, filepath.Join(t.TempDir(), "home"))
	missing, err := proto.Marshal(&pb.GetProjectRequest{ProjectId: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	for _, protocol := range []string{ProtocolGRPC, ProtocolConnect} {
		b := &Generator{options: Options{Nodes: []process.Node{{Address: n.GRPCAddr()}}, Protocol: protocol}}
		links, err := b.links(6)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range links {
			for range 3 {
				answer, err := l.call(t.Context(), makechainpbconnect.MakechainServiceGetNodeStatusProcedure, nil)
				var status pb.GetNodeStatusResponse
				if err := errors.Join(err, proto.Unmarshal(answer, &status)); err != nil || status.GetNetwork() != pb.Network_NETWORK_DEVNET {
					t.Errorf("%s: the node says %v, %v", protocol, &status, err)
				}
				_, err = l.call(t.Context(), makechainpbconnect.MakechainServiceGetProjectProcedure, missing)
				if connect.CodeOf(err) != connect.CodeNotFound {
					t.Errorf("%s: a project that is not there: %v", protocol, err)
				}
			}
		}
		closeAll(links)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := links[0].call(ctx, makechainpbconnect.MakechainServiceGetNodeStatusProcedure, nil); err == nil {
			t.Errorf("%s: a call is made after its context ended", protocol)
		}
	}
	b := &Generator{options: Options{Nodes: []process.Node{{}}, Protocol: "smoke"}}
	if _, err := b.links(1); err == nil {
		t.Error("there are links by smoke")
	}
}

// TestFullMempool submits to a node that has no room, and to one that makes no sense.
func TestFullMempool(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		body   string
		want   string // "" for a verdict
	}{
		{http.StatusTooManyRequests, `{"code":"resource_exhausted","message":"100000 messages wait already"}`, ""},
		{http.StatusServiceUnavailable, `{"code":"unavailable","message":"the node stops"}`, "the node stops"},
		{http.StatusBadGateway, "<html>", "answers 502"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		to := newExchange(strings.TrimPrefix(server.URL, "http://"))
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

// TestNobodyThere calls an address at which nobody listens.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for _, l := range []link{newExchange(address), newStub(newChannel(address))} {
		if _, err := l.call(t.Context(), "/any", nil); connect.CodeOf(err) != connect.CodeUnavailable {
			t.Errorf("%T: %v, want unavailable", l, err)
		}
		l.close()
	}
}

// TestLanes looks at the bounds of how many lanes there are.
func TestLanes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		perSecond  float64
		most, want int
	}{{0.001, 64, 1}, {1, 64, 30}, {20, 16, 16}, {10_000, 256, 256}} {
		if got := lanesAt(test.perSecond, test.most); got != test.want {
			t.Errorf("%v calls in a second have %d lanes, want %d", test.perSecond, got, test.want)
		}
	}
}
