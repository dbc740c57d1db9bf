package rest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/ident"
	"makechain/internal/server"
	"makechain/message"
)

// streamNode is a node that only serves blocks.
type streamNode struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler

	*memoryChain
}

func (n *streamNode) GetNodeStatus(ctx context.Context, _ *connect.Request[pb.GetNodeStatusRequest]) (*connect.Response[pb.GetNodeStatusResponse], error) {
	height, err := n.Height(ctx)
	if err != nil {
		return nil, connect.NewError(connect.CodeUnavailable, err)
	}
	return connect.NewResponse(&pb.GetNodeStatusResponse{CurrentBlock: height}), nil
}

func (n *streamNode) SubscribeBlocks(ctx context.Context, req *connect.Request[pb.SubscribeBlocksRequest], stream *connect.ServerStream[pb.GetBlockResponse]) error {
	if err := stream.Send(nil); err != nil {
		return err
	}
	err := n.Blocks(ctx, req.Msg.GetStartBlock(), stream.Send)
	if errors.Is(err, errPruned) {
		return connect.NewError(connect.CodeOutOfRange, err)
	}
	return connect.NewError(connect.CodeUnavailable, err)
}

// commitSigned adds a block of messages.
func (c *memoryChain) commitSigned(messages ...*message.Envelope) {
	served := make([]*pb.Message, len(messages))
	for i, m := range messages {
		served[i] = m.Proto()
	}
	c.add(served)
}

// liveStreams is a gateway and its node, both on the network.
type liveStreams struct {
	*memoryChain

	gateway *Gateway
	node    *httptest.Server
	server  *httptest.Server
	client  *http.Client
	address atomic.Value // of the clients, as a string
}

func serveStreams(t *testing.T, limits StreamLimits) *liveStreams {
	t.Helper()
	s := &liveStreams{memoryChain: newMemoryChain()}
	s.address.Store("127.0.0.1")
	_, handler := makechainpbconnect.NewMakechainServiceHandler(&streamNode{memoryChain: s.memoryChain})
	s.node = httptest.NewServer(handler)
	t.Cleanup(s.node.Close)
	var err error
	s.gateway, err = New(Config{
		Upstream: Remote(makechainpbconnect.NewMakechainServiceClient(s.node.Client(), s.node.URL), time.Minute, server.ReserveResponse),
		Streams:  limits, Log: slog.New(slog.DiscardHandler),
		ClientAddress: func(context.Context) netip.Addr { return netip.MustParseAddr(s.address.Load().(string)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewServer(s.gateway.Handler())
	s.client = s.server.Client()
	t.Cleanup(func() {
		if err := s.gateway.Close(); err != nil {
			t.Error(err)
		}
		s.server.Close()
	})
	return s
}

// opened is the response of a stream, which is closed when the test ends.
type opened struct{ *http.Response }

// open requests a stream. position is sent as Last-Event-ID unless it is empty.
func (s *liveStreams) open(t *testing.T, path, position string) opened {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if position != "" {
		request.Header.Set("Last-Event-ID", position)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() }) // the client leaves
	return opened{answer}
}

// eventReader reads the events of a stream.
type eventReader struct {
	*testing.T

	lines *bufio.Reader
	body  io.Closer
}

// sentEvent is one event or comment.
type sentEvent struct{ name, id, data, comment, retry string }

// listen opens a stream and reads its first event, the retry time.
func (s *liveStreams) listen(t *testing.T, path, position string) *eventReader {
	t.Helper()
	answer := s.open(t, path, position)
	if got := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("%s: %s, %s", path, answer.Status, got)
	}
	r := &eventReader{T: t, lines: bufio.NewReader(answer.Body), body: answer.Body}
	if first := r.read(); first.retry == "" {
		t.Errorf("%s begins with %v, want the time to come back after", path, first)
	}
	return r
}

// tryRead reads the lines up to an empty one.
func (r *eventReader) tryRead() (event sentEvent, err error) {
	fields := map[string]*string{"event": &event.name, "id": &event.id, "data": &event.data, "": &event.comment, "retry": &event.retry}
	for {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			return event, err
		}
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			return event, nil
		}
		name, value, found := strings.Cut(line, ":")
		if fields[name] == nil || !found {
			return event, fmt.Errorf("a line that means nothing: %q", line)
		}
		*fields[name] = strings.TrimPrefix(value, " ")
	}
}

func (r *eventReader) read() sentEvent {
	r.Helper()
	event, err := r.tryRead()
	if err != nil {
		r.Fatal(err)
	}
	return event
}

// want reads events and checks their ids.
func (r *eventReader) want(ids ...string) {
	r.Helper()
	for _, id := range ids {
		if got := r.read(); got.id != id {
			r.Fatalf("event %q %s, want %q", got.id, got.data, id)
		}
	}
}

// streamCast returns messages of several types, authors and projects.
func streamCast(t *testing.T, n int) (messages []*message.Envelope) {
	t.Helper()
	projects := []ident.Hash{{1}, {2}}
	for i := range n {
		author := message.NewAuthor(message.Seed{byte(i % 3)}, pb.Network_NETWORK_DEVNET, ident.Address{byte(i % 3)})
		bodies := []*pb.MessageData{
			message.Star(projects[i%2]),
			message.RefUpdate(projects[i%2], fmt.Sprint("ref", i), message.RefMove{New: ident.Hash{3}, Nonce: 1}),
			message.ProjectCreate(fmt.Sprint("name", i), pb.Visibility_VISIBILITY_PUBLIC, "", ""),
			message.Fork(projects[i%2], ident.Hash{3}, fmt.Sprint("fork", i), pb.Visibility_VISIBILITY_PUBLIC),
			message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, fmt.Sprint("bio", i)),
			message.Follow(ident.Address{9}),
		}
		m, err := author.Sign(uint32(i)+1, bodies[i%len(bodies)])
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, m)
	}
	return messages
}

// pipeTransport is a transport that calls a handler in this process through a pipe, which buffers nothing: writes of the
// handler block until the client reads.
type pipeTransport struct{ handler http.Handler }

func (p pipeTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	reader, writer := io.Pipe()
	w := &pipeWriter{header: http.Header{}, body: writer, started: make(chan struct{})}
	served := req.Clone(req.Context())
	served.Body = http.NoBody
	go func() {
		p.handler.ServeHTTP(w, served)
		_ = writer.Close()
	}()
	select {
	case <-w.started:
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
	return &http.Response{StatusCode: w.status, ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Body: reader, ContentLength: -1, Request: req}, nil
}

type pipeWriter struct {
	header  http.Header
	body    *io.PipeWriter
	status  int
	once    sync.Once
	started chan struct{}
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status = status
		close(w.started)
	})
}

func (w *pipeWriter) Write(data []byte) (int, error) { return w.body.Write(data) }

func (w *pipeWriter) Flush() {}
