package rest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/rest"
)

// failing is a service that returns a given error.
type failing struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler

	with func() error
}

func (f failing) GetSnapshotInfo(context.Context, *connect.Request[pb.GetSnapshotInfoRequest]) (*connect.Response[pb.GetSnapshotInfoResponse], error) {
	return nil, f.with()
}

// TestFailures checks the problem and the log line of each kind of error.
//
// Rules: REST.
func TestFailures(t *testing.T) {
	t.Parallel()
	const secret = "the password is swordfish"
	full := func() error {
		err := connect.NewError(connect.CodeResourceExhausted, errors.New("refused"))
		detail, failed := connect.NewErrorDetail(&pb.SubmitMessageResponse{Code: "mempool_full", Error: "no room"})
		if failed != nil {
			return failed
		}
		err.AddDetail(detail)
		return err
	}
	with := func(code connect.Code) func() error {
		return func() error { return connect.NewError(code, errors.New(secret)) }
	}
	for _, c := range []struct {
		name   string
		fails  func() error
		status int
		code   string
		retry  string
		tells  bool // what the node said
		logs   bool
	}{
		{"not found", with(connect.CodeNotFound), http.StatusNotFound, "not_found", "", true, false},
		{"out of range", with(connect.CodeOutOfRange), http.StatusBadRequest, "out_of_range", "", true, false},
		{"invalid", with(connect.CodeInvalidArgument), http.StatusBadRequest, "invalid_argument", "", true, false},
		{"too many", with(connect.CodeResourceExhausted), http.StatusTooManyRequests, "resource_exhausted", "1", true, false},
		{"mempool full", full, http.StatusServiceUnavailable, "mempool_full", "1", false, false},
		{"unavailable", with(connect.CodeUnavailable), http.StatusServiceUnavailable, "unavailable", "1", true, false},
		{"timeout", with(connect.CodeDeadlineExceeded), http.StatusGatewayTimeout, "deadline_exceeded", "", false, false},
		{"internal", with(connect.CodeInternal), http.StatusInternalServerError, "internal", "", false, true},
		{"unknown", with(connect.CodeUnknown), http.StatusInternalServerError, "internal", "", false, true},
		{"unexpected", func() error { return errors.New(secret) }, http.StatusInternalServerError, "internal", "", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newLocalGateway(t, failing{with: c.fails})
			answer := g.get(t, "/v1/chain/snapshot")
			answer.wantProblem(t, c.status, c.code)
			if got := answer.Header().Get("Retry-After"); got != c.retry {
				t.Errorf("Retry-After %q, want %q", got, c.retry)
			}
			if got := strings.Contains(answer.Body.String(), secret); got != c.tells {
				t.Errorf("tells %v: %s", got, answer.Body)
			}
			if got := strings.Contains(g.log.String(), secret) && strings.Contains(g.log.String(), "level=ERROR"); got != c.logs {
				t.Errorf("logs %v: %s", got, g.log)
			}
		})
	}
}

// TestUnreachable checks that the problem of an unreachable node does not contain its address.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	g := newRemoteGateway(t, makechainpbconnect.NewMakechainServiceClient(http.DefaultClient, "http://127.0.0.1:1"))
	answer := g.get(t, "/v1/node/status")
	answer.wantProblem(t, http.StatusServiceUnavailable, "unavailable")
	if strings.Contains(answer.Body.String(), "127.0.0.1") || !strings.Contains(g.log.String(), "127.0.0.1") {
		t.Errorf("answered %s\nlogged %s", answer.Body, g.log)
	}
}

// TestCanceledRequest checks the status of a request whose client has disconnected.
func TestCanceledRequest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := newLocalGateway(t, failing{with: func() error { return ctx.Err() }})
	if answer := g.send(http.MethodGet, "/v1/chain/snapshot", nil, nil); answer.Code != 499 || g.log.String() != "" {
		t.Errorf("%d %s, logged %s", answer.Code, answer.Body, g.log)
	}
}

// TestNoUpstream checks that New requires an upstream.
func TestNoUpstream(t *testing.T) {
	t.Parallel()
	if _, err := rest.New(rest.Config{}); err == nil {
		t.Error("New accepted a configuration without an upstream")
	}
}
