// Package server serves Connect services over one port: gRPC, gRPC-web and Connect, over HTTP/1.1 and
// HTTP/2, in plain text or TLS; and beside them handlers of ordinary requests, such as a gateway.
//
// Every call and request has a request id, a place in the log and in the metrics, and bounds on what it may cost. No
// client can hold a call, a connection or memory for ever by being slow. A panic or an error that a service
// did not foresee reaches the client as "internal" with the request id, and the log with everything else.
// The package knows nothing of what the services do.
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

	"golang.org/x/net/netutil"
)

const (
	// pingInterval is how long an HTTP/2 connection may be silent before the client is asked whether it lives.
	pingInterval = 30 * time.Second
	// pingTimeout is how long the client may take to answer that.
	pingTimeout = 15 * time.Second
)

// A Server listens on one address.
type Server struct {
	listener net.Listener
	http     *http.Server
	services http.Handler
	secure   bool
	drain    context.CancelFunc // ends the streams
	patience time.Duration      // with calls that are no streams
	close    func() error       // shutDown, once
}

// New listens on the address of a configuration. Connections wait there until Serve is called.
func New(config Config, mounts ...Mount) (*Server, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	watch, err := newMetrics(config.Registerer)
	if err != nil {
		return nil, err
	}
	server := newHTTPServer(config)
	if config.Secure() {
		certificate, err := tls.LoadX509KeyPair(config.CertFile, config.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("load the TLS certificate: %w", err)
		}
		server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
	}
	draining, drain := context.WithCancel(context.Background())
	layers := &stack{config: config, draining: draining, metrics: watch, limiter: newRateLimiter(config.Limits, time.Now)}
	guarded, services := layers.handlers(mounts)
	server.Handler = guarded

	listener, err := net.Listen("tcp", config.Addr) //nolint:noctx // listening does not wait
	if err != nil {
		drain()
		return nil, fmt.Errorf("listen for calls: %w", err)
	}
	s := &Server{
		listener: netutil.LimitListener(listener, config.Limits.MaxConnections), http: server, secure: config.Secure(),
		services: services, drain: drain, patience: config.Limits.ShutdownTimeout,
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

// Addr is the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Handler serves the same as the server, without its listener.
func (s *Server) Handler() http.Handler { return s.http.Handler }

// Services serves what the server does for calls, with its interceptors and without what guards against clients:
// request ids, CORS, the rate limit and time-outs. It is for callers in this process that have these already.
func (s *Server) Services() http.Handler { return s.services }

// Serve answers calls until its context ends or the server is closed, and returns when the last call has
// ended. An orderly end is no error.
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

// Close takes no new calls, ends streams with "unavailable", lets other calls finish for a while and cuts
// off what is left then, which it reports. Calling it again waits for the first.
func (s *Server) Close() error { return s.close() }

func (s *Server) shutDown() error {
	s.drain()
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	err := s.http.Shutdown(ctx)
	_ = s.listener.Close() // net/http has closed it, unless it never served
	if err != nil {
		_ = s.http.Close() // its errors are those of connections that are gone
		return fmt.Errorf("calls still ran %s after the server began to close: %w", s.patience, err)
	}
	return nil
}
