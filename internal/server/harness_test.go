package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/capture"
)

const (
	claimMethod     = devpbconnect.FaucetServiceClaimProcedure
	subscribeMethod = makechainpbconnect.MakechainServiceSubscribeMessagesProcedure
)

type (
	claimRequest     = connect.Request[devpb.ClaimRequest]
	claimResponse    = connect.Response[devpb.ClaimResponse]
	subscribeRequest = connect.Request[pb.SubscribeRequest]
	messageStream    = connect.ServerStream[pb.Message]
)

// services implements the two services of the tests, with one unary and one streaming method.
type services struct {
	devpbconnect.UnimplementedFaucetServiceHandler
	makechainpbconnect.UnimplementedMakechainServiceHandler

	claim     func(context.Context, *claimRequest) (*claimResponse, error)
	subscribe func(context.Context, *subscribeRequest, *messageStream) error
	batch     func(context.Context) error
	list      func() *pb.ListBlocksResponse
}

func (s *services) BatchSubmitMessages(
	ctx context.Context, req *connect.Request[pb.BatchSubmitRequest],
) (*connect.Response[pb.BatchSubmitResponse], error) {
	if s.batch == nil {
		return s.UnimplementedMakechainServiceHandler.BatchSubmitMessages(ctx, req)
	}
	return connect.NewResponse(&pb.BatchSubmitResponse{}), s.batch(ctx)
}

func (s *services) ListBlocks(context.Context, *connect.Request[pb.ListBlocksRequest]) (*connect.Response[pb.ListBlocksResponse], error) {
	return connect.NewResponse(s.list()), nil
}

func (s *services) Claim(ctx context.Context, req *claimRequest) (*claimResponse, error) {
	if s.claim == nil {
		return connect.NewResponse(&devpb.ClaimResponse{Hash: req.Msg.GetOwnerAddress()}), nil
	}
	return s.claim(ctx, req)
}

func (s *services) SubscribeMessages(ctx context.Context, req *subscribeRequest, stream *messageStream) error {
	if s.subscribe == nil {
		return sendBlocks(stream, 1, 2, 3)
	}
	return s.subscribe(ctx, req, stream)
}

// sendBlocks streams messages that have only a block number.
func sendBlocks(stream *messageStream, numbers ...uint64) error {
	for _, number := range numbers {
		if err := stream.Send(&pb.Message{BlockNumber: number}); err != nil {
			return err
		}
	}
	return nil
}

// receiveBlocks reads a stream to its end.
func receiveBlocks(stream *connect.ServerStreamForClient[pb.Message]) (numbers []uint64, err error) {
	for stream.Receive() {
		numbers = append(numbers, stream.Msg().GetBlockNumber())
	}
	return numbers, stream.Err()
}

// running is a server that runs until the end of a test.
type running struct {
	*Server

	url      string
	registry *prometheus.Registry
	log      *capture.Buffer
	served   chan error
}

func start(t *testing.T, config Config, implementation *services, more ...Mount) *running {
	t.Helper()
	r := &running{registry: prometheus.NewRegistry(), log: &capture.Buffer{}, served: make(chan error, 1)}
	config.Addr, config.Registerer = "127.0.0.1:0", r.registry
	config.Log = slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	mounts := append([]Mount{
		Service[devpbconnect.FaucetServiceHandler](devpbconnect.NewFaucetServiceHandler, implementation),
		Service[makechainpbconnect.MakechainServiceHandler](makechainpbconnect.NewMakechainServiceHandler, implementation),
	}, more...)
	var err error
	if r.Server, err = New(config, mounts...); err != nil {
		t.Fatal(err)
	}
	scheme := "http://"
	if config.Secure() {
		scheme = "https://"
	}
	r.url = scheme + r.Addr().String()
	go func() { r.served <- r.Serve(context.Background()) }()
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// protocol is an RPC protocol with an HTTP version.
type protocol struct {
	name    string
	http2   bool
	options []connect.ClientOption
}

func protocols() []protocol {
	return []protocol{
		{"gRPC", true, []connect.ClientOption{connect.WithGRPC()}},
		{"gRPC-web over HTTP/1.1", false, []connect.ClientOption{connect.WithGRPCWeb()}},
		{"gRPC-web over HTTP/2", true, []connect.ClientOption{connect.WithGRPCWeb()}},
		{"Connect over HTTP/1.1", false, nil},
		{"Connect over HTTP/2", true, nil},
		{"Connect with JSON", false, []connect.ClientOption{connect.WithProtoJSON()}},
		{"gRPC with gzip", true, []connect.ClientOption{connect.WithGRPC(), connect.WithSendGzip()}},
	}
}

func grpc() protocol { return protocols()[0] }

// client returns an HTTP client for one version of HTTP in plain text.
func (p protocol) client(t *testing.T) *http.Client {
	t.Helper()
	var versions http.Protocols
	versions.SetHTTP1(!p.http2)
	versions.SetUnencryptedHTTP2(p.http2)
	transport := &http.Transport{Protocols: &versions}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func (p protocol) faucet(t *testing.T, r *running) devpbconnect.FaucetServiceClient {
	t.Helper()
	return devpbconnect.NewFaucetServiceClient(p.client(t), r.url, p.options...)
}

func (p protocol) chain(t *testing.T, r *running) makechainpbconnect.MakechainServiceClient {
	t.Helper()
	return makechainpbconnect.NewMakechainServiceClient(p.client(t), r.url, p.options...)
}

func newClaim() *claimRequest {
	return connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: []byte("owner")})
}

func newSubscription() *subscribeRequest { return connect.NewRequest(&pb.SubscribeRequest{}) }

// metric returns the value of a counter or gauge, or the count of a histogram, summed over the series with the given label
// values.
func (r *running) metric(t *testing.T, name string, values ...string) float64 {
	t.Helper()
	families, err := r.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for _, family := range families {
		for _, series := range family.GetMetric() {
			labels := map[string]bool{}
			for _, label := range series.GetLabel() {
				labels[label.GetValue()] = true
			}
			matches := family.GetName() == name
			for _, value := range values {
				matches = matches && labels[value]
			}
			if matches {
				sum += series.GetCounter().GetValue() + series.GetGauge().GetValue() + float64(series.GetHistogram().GetSampleCount())
			}
		}
	}
	return sum
}

// wantMetric waits until a metric has a value: a call is counted after its response.
func (r *running) wantMetric(t *testing.T, want float64, name string, values ...string) {
	t.Helper()
	eventually(t, func() bool { return r.metric(t, name, values...) == want },
		func() { t.Errorf("%s%v = %v, want %v", name, values, r.metric(t, name, values...), want) })
}

// wantLog waits for a line of the log that contains all of the given texts, and returns it.
func (r *running) wantLog(t *testing.T, texts ...string) string {
	t.Helper()
	var found string
	eventually(t, func() bool {
		for line := range strings.Lines(r.log.String()) {
			matches := true
			for _, text := range texts {
				matches = matches && strings.Contains(line, text)
			}
			if matches {
				found = line
				return true
			}
		}
		return false
	}, func() { t.Errorf("no line of the log contains all of %q:\n%s", texts, r.log) })
	return found
}

// eventually waits until a condition holds, and calls fail after a timeout.
func eventually(t *testing.T, condition func() bool, fail func()) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	timeout := time.NewTimer(2 * time.Minute)
	defer timeout.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-timeout.C:
			fail()
			return
		}
	}
}

// await receives from a channel, and fails the test after a timeout.
func await[T any](t *testing.T, channel <-chan T, what string) T {
	t.Helper()
	select {
	case value := <-channel:
		return value
	case <-time.After(2 * time.Minute):
		t.Fatalf("timeout: %s", what)
		panic("unreachable")
	}
}

func wantCode(t *testing.T, err error, want connect.Code) {
	t.Helper()
	if err == nil || connect.CodeOf(err) != want {
		t.Errorf("error %v, want code %s", err, want)
	}
}

// readAll reads the body of a response and closes it.
func readAll(t *testing.T, response *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
