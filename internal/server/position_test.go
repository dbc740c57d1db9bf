package server

import (
	"net/http"
	"sync/atomic"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
)

// TestPosition checks the position headers of calls in every protocol, of streams and of plain requests.
func TestPosition(t *testing.T) {
	t.Parallel()
	var at atomic.Pointer[Position]
	plain := FromHandler("/", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	r := start(t, Config{Position: func() Position { return *at.Load() }}, &services{}, plain)
	for _, test := range []struct {
		at            Position
		block, behind string
	}{
		{Position{Block: 0}, "0", ""},
		{Position{Block: 41, Behind: 2}, "41", ""},
		{Position{Block: 41, CatchingUp: true, Behind: 1_000}, "41", "1000"},
		{Position{Block: 7, CatchingUp: true}, "7", "0"},
	} {
		at.Store(&test.at)
		expect := func(what string, header http.Header) {
			t.Helper()
			if block, behind := header.Get(BlockHeader), header.Get(BehindHeader); block != test.block || behind != test.behind {
				t.Errorf("%s at %+v: block %q, behind %q", what, test.at, block, behind)
			}
		}
		for _, p := range protocols() {
			client := devpbconnect.NewFaucetServiceClient(p.client(t), r.url, p.options...)
			answer, err := client.Claim(t.Context(), connect.NewRequest(&devpb.ClaimRequest{}))
			if err != nil {
				t.Fatal(err)
			}
			expect(p.name, answer.Header())
		}
		streams := makechainpbconnect.NewMakechainServiceClient(grpc().client(t), r.url, grpc().options...)
		stream, err := streams.SubscribeMessages(t.Context(), connect.NewRequest(&pb.SubscribeRequest{}))
		if err != nil {
			t.Fatal(err)
		}
		expect("a stream", stream.ResponseHeader())
		if err := stream.Close(); err != nil {
			t.Error(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/anything", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		expect("a plain request", answer.Header)
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}
