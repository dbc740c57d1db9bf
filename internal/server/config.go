package server

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The limits of a server whose configuration names none.
const (
	// DefaultMaxMessageBytes is the most one message takes, in or out, after decompression.
	DefaultMaxMessageBytes = 4 << 20
	// DefaultMaxHeaderBytes is the most the headers of one request take.
	DefaultMaxHeaderBytes = 64 << 10
	// DefaultMaxConnections is how many connections are served; others wait to be accepted.
	DefaultMaxConnections = 4_096
	// DefaultMaxConcurrentStreams is how many calls one HTTP/2 connection may have open.
	DefaultMaxConcurrentStreams = 256
	// DefaultMaxStreams is how many streaming calls are open in all.
	DefaultMaxStreams = 1_024

	// DefaultReadHeaderTimeout is how long the headers of a request may take to arrive.
	DefaultReadHeaderTimeout = 10 * time.Second
	// DefaultReadTimeout is how long the body of a request may take to arrive, all messages of a client's
	// stream included.
	DefaultReadTimeout = 30 * time.Second
	// DefaultWriteTimeout is how long a client may take to accept one message.
	DefaultWriteTimeout = 30 * time.Second
	// DefaultIdleTimeout is how long a connection without a call is kept.
	DefaultIdleTimeout = 2 * time.Minute
	// DefaultUnaryTimeout is how long a call that is not a stream may run.
	DefaultUnaryTimeout = time.Minute
	// DefaultShutdownTimeout is how long running calls may take to end when the server closes.
	DefaultShutdownTimeout = 10 * time.Second

	// DefaultRequestsPerSecond is how many calls a client may make in the long run.
	DefaultRequestsPerSecond = 200
	// DefaultBurst is how many calls a client may make at once.
	DefaultBurst = 400
)

// Config says where a server listens, whom it trusts and how it is watched.
type Config struct {
	// Addr is the TCP address to listen on, such as "localhost:50051". Port 0 takes a free one.
	Addr string
	// CertFile and KeyFile are PEM files. With both the server speaks TLS, with neither plain text.
	CertFile, KeyFile string
	// AllowedOrigins are the web origins whose pages may call. None means all of them: calls carry no
	// credentials that a page could borrow.
	AllowedOrigins []string
	// TrustedProxies are the networks whose X-Forwarded-For is believed. None means that a client is who
	// holds the connection.
	TrustedProxies []netip.Prefix
	// Refuse answers a request that is no call and that the server itself turns down, such as one too many. Nil
	// means with a line of text. Calls are refused in the protocol that they speak.
	Refuse RefuseFunc
	// Ready says whether calls can be answered well; the health service asks it. Nil means always.
	Ready func() bool
	// Position says how far the node has come, and every answer repeats it. Nil means that answers do not say.
	Position func() Position
	// Log gets one line for each call and each other request. Nil means the default logger.
	Log *slog.Logger
	// Registerer gets the metrics. Nil means that nobody reads them.
	Registerer prometheus.Registerer
	Limits     Limits
}

// A RefuseFunc answers a request with an HTTP status and a reason that a person can read.
type RefuseFunc func(w http.ResponseWriter, r *http.Request, status int, reason string)

// refuseWithText is for a server that serves calls and little else.
func refuseWithText(w http.ResponseWriter, _ *http.Request, status int, reason string) {
	http.Error(w, reason, status)
}

// Limits bound what clients can make a server spend. A zero field means its default.
type Limits struct {
	// MaxRequestBytes and MaxResponseBytes bound each message, after decompression. The first also bounds the
	// body of a request that is no call.
	MaxRequestBytes      int
	MaxResponseBytes     int
	MaxHeaderBytes       int
	MaxConnections       int
	MaxConcurrentStreams int
	MaxStreams           int

	ReadHeaderTimeout time.Duration
	ReadTimeout       time.Duration
	WriteTimeout      time.Duration
	IdleTimeout       time.Duration
	UnaryTimeout      time.Duration
	ShutdownTimeout   time.Duration

	// RequestsPerSecond and Burst bound the calls of one client address. A negative rate means no bound.
	RequestsPerSecond float64
	Burst             int
	// LimitLoopback bounds clients of this machine too.
	LimitLoopback bool
}

func (l Limits) withDefaults() Limits {
	return Limits{
		MaxRequestBytes:      cmp.Or(l.MaxRequestBytes, DefaultMaxMessageBytes),
		MaxResponseBytes:     cmp.Or(l.MaxResponseBytes, DefaultMaxMessageBytes),
		MaxHeaderBytes:       cmp.Or(l.MaxHeaderBytes, DefaultMaxHeaderBytes),
		MaxConnections:       cmp.Or(l.MaxConnections, DefaultMaxConnections),
		MaxConcurrentStreams: cmp.Or(l.MaxConcurrentStreams, DefaultMaxConcurrentStreams),
		MaxStreams:           cmp.Or(l.MaxStreams, DefaultMaxStreams),
		ReadHeaderTimeout:    cmp.Or(l.ReadHeaderTimeout, DefaultReadHeaderTimeout),
		ReadTimeout:          cmp.Or(l.ReadTimeout, DefaultReadTimeout),
		WriteTimeout:         cmp.Or(l.WriteTimeout, DefaultWriteTimeout),
		IdleTimeout:          cmp.Or(l.IdleTimeout, DefaultIdleTimeout),
		UnaryTimeout:         cmp.Or(l.UnaryTimeout, DefaultUnaryTimeout),
		ShutdownTimeout:      cmp.Or(l.ShutdownTimeout, DefaultShutdownTimeout),
		RequestsPerSecond:    cmp.Or(l.RequestsPerSecond, DefaultRequestsPerSecond),
		Burst:                cmp.Or(l.Burst, DefaultBurst),
		LimitLoopback:        l.LimitLoopback,
	}
}

// Secure says whether the server speaks TLS.
func (c Config) Secure() bool { return c.CertFile != "" }

func (c Config) withDefaults() (Config, error) {
	if (c.CertFile == "") != (c.KeyFile == "") {
		return c, errors.New("a TLS certificate and its key go together, one of them is missing")
	}
	c.Limits = c.Limits.withDefaults()
	if c.Refuse == nil {
		c.Refuse = refuseWithText
	}
	if c.Ready == nil {
		c.Ready = func() bool { return true }
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Registerer == nil {
		c.Registerer = prometheus.NewRegistry()
	}
	c.Log = slog.New(LogHandler(c.Log.Handler()))
	return c, nil
}
