package server

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"makechain/internal/limit"
)

// Default limits.
const (
	// DefaultMaxMessageBytes is the size limit of a response message, and of a request message where Config.IsLarge allows
	// it, after decompression.
	DefaultMaxMessageBytes = limit.MaxRequestBytes
	// DefaultMaxReadBytes is the size limit of all other request messages.
	DefaultMaxReadBytes = limit.MaxReadBytes
	// DefaultMaxHeaderBytes is the size limit of the headers of a request.
	DefaultMaxHeaderBytes = 64 << 10
	// DefaultMaxConnections is the number of connections of all clients. When it is reached, a connection of the address
	// that has most is closed for one of another address.
	DefaultMaxConnections = 4_096
	// DefaultMaxClientConnections is the number of connections of one peer address. Further ones are closed at once.
	DefaultMaxClientConnections = 256
	// DefaultMaxConcurrentStreams is the number of open calls per HTTP/2 connection.
	DefaultMaxConcurrentStreams = 256
	// DefaultMaxStreams is the number of open streaming calls of all clients.
	DefaultMaxStreams = 1_024
	// DefaultMaxClientStreams is the number of open streaming calls of one client address.
	DefaultMaxClientStreams = 32

	// maxProbeStreams and maxClientProbeStreams are the numbers of open streams of the health and reflection services, which
	// do not count towards the limits of other streams.
	maxProbeStreams       = 128
	maxClientProbeStreams = 8

	// DefaultReadHeaderTimeout is how long the headers of a request may take to arrive.
	DefaultReadHeaderTimeout = 10 * time.Second
	// DefaultReadTimeout is how long the body of a request may take to arrive, including all messages of a client stream.
	DefaultReadTimeout = 30 * time.Second
	// DefaultWriteTimeout is how long a client may take to accept one write, and longer for large ones: a client has to
	// accept writeRateBytes in this time.
	DefaultWriteTimeout = 30 * time.Second
	// DefaultResponseWait is how long a call waits for memory of responses that others have not accepted yet.
	DefaultResponseWait = 10 * time.Second
	// DefaultIdleTimeout is how long an idle connection is kept open.
	DefaultIdleTimeout = 2 * time.Minute
	// DefaultUnaryTimeout is how long a unary call may run.
	DefaultUnaryTimeout = time.Minute
	// DefaultShutdownTimeout is how long running calls may take to finish when the server closes.
	DefaultShutdownTimeout = 10 * time.Second

	// DefaultRequestsPerSecond is the rate limit per client address.
	DefaultRequestsPerSecond = 200
	// burstSeconds is the default burst of a client address: how many seconds of its rate limit may arrive at once.
	burstSeconds = 2
)

// Config configures a server.
type Config struct {
	// Addr is the TCP address to listen on, such as "localhost:50051". Port 0 selects a free port.
	Addr string
	// CertFile and KeyFile are PEM files. Both enable TLS; without them the server uses plain text.
	CertFile, KeyFile string
	// AllowedOrigins are the web origins whose pages may call. None means all: calls carry no credentials that a page
	// could misuse.
	AllowedOrigins []string
	// Admit returns the reason to refuse a request with status 403 before anything else is done with it. Nil means that no
	// request is refused.
	Admit func(*http.Request) error
	// TrustedProxies are the networks whose X-Forwarded-For header is used. None means that the client address is the
	// peer of the connection.
	TrustedProxies []netip.Prefix
	// WriteError responds to a request that is not a call and that the server itself rejects, for example because of the
	// rate limit. Nil means plain text. Calls are rejected in their own protocol.
	WriteError ErrorFunc
	// IsLarge reports whether requests to a path may have Limits.MaxRequestBytes; others have Limits.MaxReadBytes. Nil means
	// that none may.
	IsLarge func(path string) bool
	// Ready reports whether the node is ready; the health service calls it. Nil means always.
	Ready func() bool
	// Position returns the height that is sent in the headers of every response. Nil means that it is not sent.
	Position func() Position
	// Log receives one record for each call and each other request. Nil means the default logger.
	Log *slog.Logger
	// Registerer receives the metrics. Nil means that they are not exported.
	Registerer prometheus.Registerer
	// Accounts are those of another server of the same clients, to which this server's requests count too. Nil means own
	// accounts with the rate limit of Limits.
	Accounts *Accounts
	Limits   Limits
}

// An ErrorFunc responds to a request with an HTTP status and a reason.
type ErrorFunc func(w http.ResponseWriter, r *http.Request, status int, reason string)

// Limits bound the resources that clients can use. A zero field means its default.
type Limits struct {
	// MaxRequestBytes, MaxReadBytes and MaxResponseBytes bound each message, after decompression. The first two also bound
	// the body of a request that is not a call. MaxReadBytes applies to paths that Config.IsLarge does not allow.
	MaxRequestBytes  int
	MaxReadBytes     int
	MaxResponseBytes int
	// MaxBytesInFlight bounds the memory of all requests that are read and processed. Its default depends on the memory
	// limit of the process. One client may use a quarter of it.
	MaxBytesInFlight int64
	// MaxResponseMemory bounds the memory of running requests and of responses that clients have not accepted yet. Its
	// default depends on the memory limit of the process. One client may use a quarter of it.
	MaxResponseMemory    int64
	MaxHeaderBytes       int
	MaxConnections       int
	MaxClientConnections int // of one peer address; trusted proxies are exempt
	MaxConcurrentStreams int
	MaxStreams           int
	MaxClientStreams     int

	ReadHeaderTimeout time.Duration
	ReadTimeout       time.Duration
	WriteTimeout      time.Duration
	ResponseWait      time.Duration
	IdleTimeout       time.Duration
	UnaryTimeout      time.Duration
	ShutdownTimeout   time.Duration

	// RequestsPerSecond and Burst are the rate limit of one client address. A request that takes more than a millisecond of
	// processor time counts as several. A negative rate means no limit. The default of Burst follows RequestsPerSecond.
	RequestsPerSecond float64
	Burst             int
	// LimitLoopback applies the limits of one client address to clients on this machine too.
	LimitLoopback bool
}

func (l Limits) withDefaults() Limits {
	perSecond := cmp.Or(l.RequestsPerSecond, DefaultRequestsPerSecond)
	return Limits{
		MaxRequestBytes:      cmp.Or(l.MaxRequestBytes, DefaultMaxMessageBytes),
		MaxReadBytes:         cmp.Or(l.MaxReadBytes, DefaultMaxReadBytes),
		MaxBytesInFlight:     cmp.Or(l.MaxBytesInFlight, shareOfMemory(inFlightFraction, minInFlight, maxInFlight)),
		MaxResponseBytes:     cmp.Or(l.MaxResponseBytes, DefaultMaxMessageBytes),
		MaxResponseMemory:    cmp.Or(l.MaxResponseMemory, shareOfMemory(responseFraction, minResponseMemory, maxResponseMemory)),
		MaxHeaderBytes:       cmp.Or(l.MaxHeaderBytes, DefaultMaxHeaderBytes),
		MaxConnections:       cmp.Or(l.MaxConnections, DefaultMaxConnections),
		MaxClientConnections: cmp.Or(l.MaxClientConnections, DefaultMaxClientConnections),
		MaxConcurrentStreams: cmp.Or(l.MaxConcurrentStreams, DefaultMaxConcurrentStreams),
		MaxStreams:           cmp.Or(l.MaxStreams, DefaultMaxStreams),
		MaxClientStreams:     cmp.Or(l.MaxClientStreams, DefaultMaxClientStreams),
		ReadHeaderTimeout:    cmp.Or(l.ReadHeaderTimeout, DefaultReadHeaderTimeout),
		ReadTimeout:          cmp.Or(l.ReadTimeout, DefaultReadTimeout),
		WriteTimeout:         cmp.Or(l.WriteTimeout, DefaultWriteTimeout),
		ResponseWait:         cmp.Or(l.ResponseWait, DefaultResponseWait),
		IdleTimeout:          cmp.Or(l.IdleTimeout, DefaultIdleTimeout),
		UnaryTimeout:         cmp.Or(l.UnaryTimeout, DefaultUnaryTimeout),
		ShutdownTimeout:      cmp.Or(l.ShutdownTimeout, DefaultShutdownTimeout),
		RequestsPerSecond:    perSecond,
		Burst:                cmp.Or(l.Burst, int(min(max(burstSeconds*perSecond, 1), maxBurst))),
		LimitLoopback:        l.LimitLoopback,
	}
}

// Secure reports whether the server uses TLS.
func (c Config) Secure() bool { return c.CertFile != "" }

func (c Config) withDefaults() (Config, error) {
	if (c.CertFile == "") != (c.KeyFile == "") {
		return c, errors.New("TLS needs both a certificate and a key file, one of them is missing")
	}
	c.Limits = c.Limits.withDefaults()
	if c.WriteError == nil {
		c.WriteError = func(w http.ResponseWriter, _ *http.Request, status int, reason string) { http.Error(w, reason, status) }
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
	if c.Accounts == nil {
		c.Accounts = NewAccounts(c.Limits, time.Now)
	}
	c.Log = slog.New(LogHandler(c.Log.Handler()))
	return c, nil
}
