package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metricsTimeout is the timeout for reading a request and for gathering metrics. CPU profiles may run longer.
const metricsTimeout = 10 * time.Second

// MetricsConfig configures a metrics server.
type MetricsConfig struct {
	// Addr is the TCP address to listen on.
	Addr string
	// Gatherer provides the metrics that are served on /metrics.
	Gatherer prometheus.Gatherer
	// Profiles serves profiles on /debug/pprof/. They expose the internals of the program, so Addr must be a loopback
	// address.
	Profiles bool
	// Log receives the errors of the server. Nil means the default logger.
	Log *slog.Logger
}

// A MetricsServer serves metrics and profiles to operators, on an address of its own.
type MetricsServer struct {
	listener net.Listener
	http     *http.Server
}

// NewMetrics listens on the address of a configuration.
func NewMetrics(config MetricsConfig) (*MetricsServer, error) {
	if config.Log == nil {
		config.Log = slog.Default()
	}
	listener, err := net.Listen("tcp", config.Addr) //nolint:noctx // listening does not block
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	if address, isTCP := listener.Addr().(*net.TCPAddr); config.Profiles && (!isTCP || !address.IP.IsLoopback()) {
		return nil, errors.Join(fmt.Errorf("profiles are served only on a loopback address, not on %s", listener.Addr()), listener.Close())
	}
	return &MetricsServer{listener: listener, http: &http.Server{
		Handler:           newMetricsHandler(config),
		ReadHeaderTimeout: metricsTimeout,
		ReadTimeout:       metricsTimeout,
		IdleTimeout:       DefaultIdleTimeout,
		ErrorLog:          slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn),
	}}, nil
}

// Addr returns the address that the server listens on.
func (s *MetricsServer) Addr() net.Addr { return s.listener.Addr() }

// Serve serves until ctx is done or the server is closed; then it returns nil.
func (s *MetricsServer) Serve(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics: %w", err)
	}
	return nil
}

// Close stops the server without waiting for running requests.
func (s *MetricsServer) Close() error {
	err := s.http.Close()
	_ = s.listener.Close() // net/http has closed it, unless Serve was never called
	return err
}

func newMetricsHandler(config MetricsConfig) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(config.Gatherer, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn), Timeout: metricsTimeout,
	}))
	if config.Profiles {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}
