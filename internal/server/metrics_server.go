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

// metricsTimeout bounds each phase of a request for metrics. A CPU profile may run longer.
const metricsTimeout = 10 * time.Second

// MetricsConfig says what an operator may look at, and where.
type MetricsConfig struct {
	// Addr is the TCP address to listen on.
	Addr string
	// Gatherer has the metrics that are served on /metrics.
	Gatherer prometheus.Gatherer
	// Profiles serves profiles of the program on /debug/pprof/. They tell much about the program, so the
	// address must be one of this machine alone.
	Profiles bool
	// Log gets the complaints of the server. Nil means the default logger.
	Log *slog.Logger
}

// A MetricsServer listens on an address of its own, away from clients.
type MetricsServer struct {
	listener net.Listener
	http     *http.Server
}

// NewMetrics listens on the address of a configuration.
func NewMetrics(config MetricsConfig) (*MetricsServer, error) {
	if config.Log == nil {
		config.Log = slog.Default()
	}
	listener, err := net.Listen("tcp", config.Addr) //nolint:noctx // listening does not wait
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	if address, isTCP := listener.Addr().(*net.TCPAddr); config.Profiles && (!isTCP || !address.IP.IsLoopback()) {
		return nil, errors.Join(fmt.Errorf("profiles are for loopback addresses alone, and %s is none", listener.Addr()), listener.Close())
	}
	return &MetricsServer{listener: listener, http: &http.Server{
		Handler:           newMetricsHandler(config),
		ReadHeaderTimeout: metricsTimeout,
		ReadTimeout:       metricsTimeout,
		IdleTimeout:       DefaultIdleTimeout,
		ErrorLog:          slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn),
	}}, nil
}

// Addr is the address that the server listens on.
func (s *MetricsServer) Addr() net.Addr { return s.listener.Addr() }

// Serve answers until its context ends or the server is closed, which is no error.
func (s *MetricsServer) Serve(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics: %w", err)
	}
	return nil
}

// Close stops at once: whoever reads metrics will read them again.
func (s *MetricsServer) Close() error {
	err := s.http.Close()
	_ = s.listener.Close() // net/http has closed it, unless it never served
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
