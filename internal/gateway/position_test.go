package gateway_test

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"

	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/server"
)

// TestPosition checks that a standalone gateway forwards the position headers of the node, in responses and in problems.
// Rules: REST.
func TestPosition(t *testing.T) {
	t.Parallel()
	var at atomic.Pointer[server.Position]
	at.Store(new(server.Position))
	config := server.Config{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Position: func() server.Position { return *at.Load() }}
	implementation := makechainpbconnect.MakechainServiceHandler(healthyNode{ready: true})
	s, err := server.New(config, server.Service(makechainpbconnect.NewMakechainServiceHandler, implementation))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { served <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	url := start(t, serverConfig(), dial(t, s.Addr().String())).URL()
	for _, test := range []struct {
		at            server.Position
		block, behind string
	}{
		{server.Position{Block: 41, Behind: 2}, "41", ""},
		{server.Position{Block: 41, CatchingUp: true, Behind: 1_000}, "41", "1000"},
		{server.Position{Block: 7, CatchingUp: true}, "7", "0"},
	} {
		at.Store(&test.at)
		for path, status := range map[string]int{"/v1/node/health": http.StatusOK, "/v1/chain/stats": http.StatusNotImplemented} {
			got := ask(t, http.MethodGet, url+path, http.NoBody)
			if block, behind := got.header.Get(server.BlockHeader), got.header.Get(server.BehindHeader); got.status != status || block != test.block || behind != test.behind {
				t.Errorf("%s at %+v: status %d, block %q, behind %q", path, test.at, got.status, block, behind)
			}
		}
	}
	if got := ask(t, http.MethodGet, url+"/nowhere", http.NoBody); got.header.Get(server.BlockHeader) != "" {
		t.Errorf("an answer without a call says %q", got.header.Get(server.BlockHeader))
	}
}
