package histories_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// stage is a moment in the course of a request at which a process is killed.
type stage int

const (
	arrived   stage = iota // the server has not seen the request
	uploading              // the server has half of the body
	answered               // the client has seen nothing of the response
	delivered              // the client has half of the response
)

func (s stage) String() string {
	return [...]string{"arrived", "uploading", "answered", "delivered"}[s]
}

// point is a stage of the n-th request of a command, counted from 1.
type point struct {
	request int
	stage   stage
}

// exchange is a request that the proxy has passed on.
type exchange struct {
	name     string // method and path
	uploaded int64  // size of the body, -1 when it is not known
	returned int    // size of the body of the response
}

// proxy is between clients and a server that is killed and started again. It stops at one point of a command, and forgets the
// request when it continues.
type proxy struct {
	url     string
	reached chan chan struct{} // receives a channel at the point; the proxy continues when that one is closed

	mu           sync.Mutex
	server       string // host:port
	stopAt       point  // zero for none
	exchanges    []exchange
	acknowledged []string // paths of git bundles that the server has acknowledged
}

// newProxy starts a proxy in front of a server.
func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	p := &proxy{server: server, reached: make(chan chan struct{})}
	http1, http2 := new(http.Protocols), new(http.Protocols)
	http1.SetHTTP1(true)
	http2.SetUnencryptedHTTP2(true)
	byVersion := map[int]http.RoundTripper{1: &http.Transport{Protocols: http1}, 2: &http.Transport{Protocols: http2}}
	reverse := &httputil.ReverseProxy{
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		Rewrite:       p.rewrite,
		Transport:     roundTripper(func(r *http.Request) (*http.Response, error) { return p.roundTrip(byVersion[r.ProtoMajor], r) }),
		// A client sees a connection that breaks, as when there is no proxy.
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, _ error) { disconnect(r) },
	}
	served := httptest.NewUnstartedServer(reverse)
	served.Config.Protocols, served.Config.ErrorLog = new(http.Protocols), log.New(io.Discard, "", 0)
	served.Config.Protocols.SetHTTP1(true)
	served.Config.Protocols.SetUnencryptedHTTP2(true)
	served.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, conn)
	}
	served.Start()
	t.Cleanup(served.Close)
	p.url = served.URL
	return p
}

// connectionKey is the key of the connection in the context of a request.
type connectionKey struct{}

// disconnect closes the connection of a request.
func disconnect(r *http.Request) {
	if conn, isConn := r.Context().Value(connectionKey{}).(net.Conn); isConn {
		_ = conn.Close() // the client may have closed it
	}
	panic(http.ErrAbortHandler)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// rewrite sends a request to the server. The host is part of what clients sign.
func (p *proxy) rewrite(r *httputil.ProxyRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", p.server, r.In.Host
	r.Out.ProtoMajor = r.In.ProtoMajor
}

// errStopped is the result of a request at which the proxy has stopped.
var errStopped = errors.New("stopped")

func (p *proxy) roundTrip(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	p.exchanges = append(p.exchanges, exchange{name: r.Method + " " + r.URL.Path, uploaded: r.ContentLength})
	number := len(p.exchanges)
	at := p.stopAt
	p.mu.Unlock()
	stops := func(s stage) bool { return at == point{number, s} }
	stop := func() error {
		continues := make(chan struct{})
		select {
		case p.reached <- continues:
			<-continues
		case <-r.Context().Done():
		}
		return errStopped
	}
	if stops(arrived) {
		return nil, stop()
	}
	if stops(uploading) && r.ContentLength > 0 {
		r.Body = &endingBody{ReadCloser: r.Body, remaining: r.ContentLength / 2, end: stop}
	}
	response, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	p.note(number, r, response, len(content))
	if stops(answered) {
		return nil, stop()
	}
	response.Body = &readBody{ReadCloser: response.Body, content: bytes.NewReader(content)}
	if stops(delivered) {
		response.Body = &endingBody{ReadCloser: response.Body, remaining: int64(len(content) / 2), end: stop}
	}
	return response, nil
}

// note records the response to a request.
func (p *proxy) note(number int, r *http.Request, response *http.Response, size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if number <= len(p.exchanges) { // a late one belongs to the command before
		p.exchanges[number-1].returned = size
	}
	if r.Method == http.MethodPut && response.StatusCode < http.StatusMultipleChoices {
		p.acknowledged = append(p.acknowledged, r.URL.Path)
	}
}

// endingBody is a body that ends with an error after some bytes.
type endingBody struct {
	io.ReadCloser

	remaining int64
	end       func() error
}

func (b *endingBody) Read(buffer []byte) (int, error) {
	if b.remaining <= 0 {
		return 0, b.end()
	}
	n, err := b.ReadCloser.Read(buffer[:min(int64(len(buffer)), b.remaining)])
	b.remaining -= int64(n)
	return n, err
}

// readBody is a body that was read.
type readBody struct {
	io.ReadCloser

	content *bytes.Reader
}

func (b *readBody) Read(buffer []byte) (int, error) { return b.content.Read(buffer) }

// run runs a command that stops at a point, where kill is called. It returns the error and output of the command, and whether
// the point was reached.
func (p *proxy) run(command *exec.Cmd, at point, kill func()) (reached bool, printed string, err error) {
	p.mu.Lock()
	p.stopAt, p.exchanges = at, nil
	p.mu.Unlock()
	ended := make(chan struct{})
	var output []byte
	go func() {
		defer close(ended)
		output, err = command.CombinedOutput()
	}()
	for {
		select {
		case continues := <-p.reached:
			reached = true
			kill()
			close(continues)
		case <-ended:
			p.mu.Lock()
			defer p.mu.Unlock()
			p.stopAt = point{}
			return reached, strings.TrimSpace(string(output)), err
		}
	}
}

// move sends further requests to another address of the server.
func (p *proxy) move(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server = server
}

// last returns the exchanges of the last command.
func (p *proxy) last() []exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exchanges
}
