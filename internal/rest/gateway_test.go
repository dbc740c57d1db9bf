package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/rest"
)

type oneAnswer struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler
}

func (oneAnswer) GetNodeStatus(context.Context, *connect.Request[pb.GetNodeStatusRequest]) (*connect.Response[pb.GetNodeStatusResponse], error) {
	return connect.NewResponse(&pb.GetNodeStatusResponse{CurrentBlock: 7, ChainId: "test-1"}), nil
}

func TestSkeleton(t *testing.T) {
	t.Parallel()
	_, handler := makechainpbconnect.NewMakechainServiceHandler(oneAnswer{})
	upstream := makechainpbconnect.NewMakechainServiceClient(rest.InProcess(handler), "http://node")
	g, err := rest.New(rest.Config{Upstream: upstream})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/node/status", "/v1/nothing", "/v1/node/status?x=1"} {
		w := httptest.NewRecorder()
		g.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		t.Log(path, w.Code, w.Header(), w.Body.String())
	}
}
