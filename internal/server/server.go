// Package server serves Connect services on one port: gRPC, gRPC-web and Connect over HTTP/1.1 and HTTP/2, in plain text
// or with TLS, and next to them handlers of ordinary requests, such as a gateway.
//
// Every call and request has a request id, a log line, metrics and limits on its cost. A slow client cannot hold a call, a
// connection or memory without bound. Panics and unexpected errors are logged, and the client receives "internal" with the
// request id. The package does not depend on what the services do.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// pingInterval is how long an HTTP/2 connection may be idle before the server sends a ping.
	pingInterval = 30 * time.Second
	// pingTimeout is how long the client may take to answer a ping.
	pingTimeout = 15 * time.Second
)

// A Server listens on one address.
type Server struct {
	listener        net.Listener
	http            *http.Server
	services        http.Handler
	interceptor     *interceptor
	accounts        *Accounts
	secure          bool
	drain           context.CancelFunc // cancels the streams
	shutdownTimeout time.Duration      // for calls that are not streams
	close           func() error       // shutDown, once
}

// New listens on the address of a configuration. Connections are accepted when Serve is called.
func New(config Config, mounts ...Mount) (*Server, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	metrics, err := newMetrics(config.Registerer)
	if err != nil {
		return nil, err
	}
	server := newHTTPServer(config)
	if config.Secure() {
		files, err := loadCertificate(config.CertFile, config.KeyFile, config.Log, time.Now)
		if err != nil {
			return nil, err
		}
		server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: files.get}
	}
	draining, drain := context.WithCancel(context.Background())
	limits := config.Limits
	calls := &interceptor{
		unaryTimeout: limits.UnaryTimeout, maxResponseBytes: limits.MaxResponseBytes,
		streams:      newStreamShares(limits.MaxStreams, limits.MaxClientStreams, limits.LimitLoopback),
		probeStreams: newStreamShares(maxProbeStreams, maxClientProbeStreams, limits.LimitLoopback),
		draining:     draining, metrics: metrics, log: config.Log,
	}
	layers := &stack{
		config: config, draining: draining, metrics: metrics, accounts: config.Accounts, interceptor: calls,
		requests: newRequestBudget(limits), costRefusals: metrics.refused.WithLabelValues(refusedCost),
	}
	layers.responses, layers.probes = newBudget(limits.MaxResponseMemory), newBudget(probeMemory)
	protected, services := layers.handlers(mounts)
	server.Handler = protected

	listener, err := net.Listen("tcp", config.Addr) //nolint:noctx // listening does not block
	if err != nil {
		drain()
		return nil, fmt.Errorf("listen for calls: %w", err)
	}
	refused := metrics.refused.WithLabelValues(refusedConnections)
	s := &Server{
		listener: newClientListener(listener, config, refused.Inc), http: server, secure: config.Secure(),
		services: services, interceptor: calls, accounts: config.Accounts, drain: drain, shutdownTimeout: limits.ShutdownTimeout,
	}
	s.close = sync.OnceValue(s.shutDown)
	return s, nil
}

func newHTTPServer(config Config) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(config.Secure())
	protocols.SetUnencryptedHTTP2(!config.Secure())
	return &http.Server{
		Protocols: protocols,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: config.Limits.MaxConcurrentStreams,
			SendPingTimeout:      pingInterval,
			PingTimeout:          pingTimeout,
			WriteByteTimeout:     config.Limits.WriteTimeout,
		},
		ReadHeaderTimeout: config.Limits.ReadHeaderTimeout,
		IdleTimeout:       config.Limits.IdleTimeout,
		MaxHeaderBytes:    config.Limits.MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn),
	}
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Handler returns the handler of all requests.
func (s *Server) Handler() http.Handler { return s.http.Handler }

// Services returns the handler of the services with the interceptor, but without request ids, CORS, the rate limit and
// deadlines. It is for another server in this process, which adds these.
func (s *Server) Services() http.Handler { return s.services }

// Accounts returns the accounts of the clients, which another server of the same clients can share.
func (s *Server) Accounts() *Accounts { return s.accounts }

// CallUnary runs a unary call that is made in this process, with the timeout, response limit, metrics, log line and error
// handling of calls that arrive over a connection. run returns the response. The error is nil or a *connect.Error.
func (s *Server) CallUnary(ctx context.Context, procedure string, run func(context.Context) (any, error)) error {
	return s.interceptor.unary(ctx, procedure, inProcess, run)
}

// CallStream runs a streaming call that is made in this process. It is canceled when the server closes, and does not count
// towards Limits.MaxStreams: clients must not be able to keep this process from its own streams. The error is nil or a
// *connect.Error.
func (s *Server) CallStream(ctx context.Context, procedure string, run func(context.Context) error) error {
	return s.interceptor.stream(ctx, procedure, inProcess, run)
}

// Serve serves until ctx is done or the server is closed, and returns when the last call has ended. It returns nil after
// an orderly shutdown.
func (s *Server) Serve(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	var err error
	if s.secure {
		err = s.http.ServeTLS(s.listener, "", "")
	} else {
		err = s.http.Serve(s.listener)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(fmt.Errorf("serve calls: %w", err), s.Close())
	}
	return s.Close()
}

// Close refuses new calls, ends streams with "unavailable", waits for other calls up to Limits.ShutdownTimeout and then
// closes their connections, which it reports as an error. A second call waits for the first and returns its result.
func (s *Server) Close() error { return s.close() }

func (s *Server) shutDown() error {
	s.drain()
	ctx, cancel := context.WithTimeout(context.Background(), s.shutdownTimeout)
	defer cancel()
	err := s.http.Shutdown(ctx)
	_ = s.listener.Close() // net/http has closed it, unless Serve was never called
	if err != nil {
		_ = s.http.Close() // it returns errors of connections that are closed already
		return fmt.Errorf("calls were still running %s after the shutdown started: %w", s.shutdownTimeout, err)
	}
	return nil
}
