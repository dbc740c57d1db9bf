package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// inProcessAddress is where calls without a network come from: this machine.
const inProcessAddress = "127.0.0.1:0"

// InProcess is a client that calls a handler without a network. What a handler writes reaches the reader at once, so
// streams work. There are no trailers: it is for the Connect protocol, which needs none.
func InProcess(handler http.Handler) *http.Client {
	return &http.Client{Transport: inProcess{handler}}
}

type inProcess struct{ handler http.Handler }

// RoundTrip returns when the handler begins to answer. The handler's context ends with the request's, or when the body
// of the answer is closed.
func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	reader, writer := io.Pipe()
	w := &pipedAnswer{header: http.Header{}, body: writer, begun: make(chan struct{})}
	go w.serve(t.handler, serverSide(ctx, req))
	select {
	case <-w.begun:
	case <-ctx.Done():
		cancel()
		_ = reader.Close()
		return nil, context.Cause(ctx)
	}
	if w.failed != nil {
		cancel()
		return nil, w.failed
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: &pipedBody{reader, cancel}, ContentLength: -1, Request: req,
	}, nil
}

// serverSide is the request as a server sees it.
func serverSide(ctx context.Context, req *http.Request) *http.Request {
	served := req.Clone(ctx)
	served.RequestURI = req.URL.RequestURI()
	served.RemoteAddr = inProcessAddress
	if served.Host == "" {
		served.Host = req.URL.Host
	}
	if served.Body == nil {
		served.Body = http.NoBody
	}
	return served
}

// A pipedAnswer is the writer of a handler and the answer of its caller. The caller reads sent, status and failed once
// begun is closed.
type pipedAnswer struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	begun  chan struct{}

	sent   http.Header
	status int
	failed error
}

// serve runs the handler. A handler that panics cuts the answer off, as it would on a network.
func (w *pipedAnswer) serve(handler http.Handler, req *http.Request) {
	defer func() {
		var err error
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the handler was aborted: %v", fault)
		}
		w.begin(http.StatusOK, err)
		_ = w.body.CloseWithError(err) // it never fails
		_ = req.Body.Close()           // the transport of net/http ignores its errors too
	}()
	handler.ServeHTTP(w, req)
}

func (w *pipedAnswer) begin(status int, failed error) {
	w.once.Do(func() {
		w.sent, w.status, w.failed = w.header.Clone(), status, failed
		close(w.begun)
	})
}

func (w *pipedAnswer) Header() http.Header { return w.header }

func (w *pipedAnswer) WriteHeader(status int) {
	if status >= http.StatusOK {
		w.begin(status, nil)
	}
}

func (w *pipedAnswer) Write(data []byte) (int, error) {
	w.begin(http.StatusOK, nil)
	return w.body.Write(data)
}

// Flush has nothing to do but to send the headers: nothing else waits.
func (w *pipedAnswer) Flush() { w.begin(http.StatusOK, nil) }

type pipedBody struct {
	*io.PipeReader

	cancel context.CancelFunc
}

// Close tells the handler that nobody reads any more.
func (b *pipedBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}
