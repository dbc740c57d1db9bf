package storeclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"
)

const (
	// dialTimeout is the time within which a connection must be established.
	dialTimeout = 10 * time.Second
	// DefaultStall is the time without any bytes after which a store counts as failed. Git servers send a keepalive packet
	// every 5 seconds while they prepare an answer.
	DefaultStall = 20 * time.Second
	// slowTime is the time, as a multiple of the stall, after which any answer must have arrived at slowRate bytes per second on
	// average. Git servers send nothing but keepalive packets while they prepare an answer, which can take minutes.
	slowTime, slowRate = 30, 1_000
	// verificationTime is the time for which a content service may be silent after an upload or an import, which it verifies.
	verificationTime = 15 * time.Minute
	// maxRedirects is the number of redirects that are followed.
	maxRedirects = 5
)

// The schemes of URLs that are followed.
const (
	schemeHTTP  = "http"
	schemeHTTPS = "https"
)

// Policy decides which addresses a store may have.
type Policy int

const (
	// Anywhere is for stores that the user has configured.
	Anywhere Policy = iota
	// PublicOnly is for URLs that others have written: a store must not make the client call services of the network that
	// it happens to be in.
	PublicOnly
)

// errPrivate is returned for a store that would lead into a private network.
var errPrivate = errors.New("the address is in a private network, and a URL from the chain is not followed there")

// IsPrivate reports whether an address is not one of the public Internet.
func IsPrivate(address netip.Addr) bool {
	address = address.Unmap()
	if !address.IsGlobalUnicast() || address.IsPrivate() {
		return true
	}
	// Shared address space of providers (RFC 6598), benchmarks (RFC 2544), NAT64 of an IPv4 address, 6to4.
	for _, special := range []string{"100.64.0.0/10", "198.18.0.0/15", "192.0.0.0/24", "240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16"} {
		if netip.MustParsePrefix(special).Contains(address) {
			return true
		}
	}
	return false
}

// HostIsPrivate reports whether a host, with or without a port, is or resolves to an address of a private network.
func HostIsPrivate(ctx context.Context, host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(addresses, IsPrivate)
}

// newHTTP returns an HTTP client for a policy. Redirects are followed for reads only, to http and https, and never from https
// to http. The policy applies to the address that is connected to, so it also holds for redirects and for names.
func newHTTP(policy Policy, proxy func(*http.Request) (*url.URL, error), stall time.Duration) *http.Client {
	dialer := &net.Dialer{Timeout: dialTimeout}
	transport := &http.Transport{
		Proxy:                 proxy,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   dialTimeout,
		ExpectContinueTimeout: dialTimeout,
		MaxIdleConnsPerHost:   4,
		// Git bundles and packs are compressed already. What a server compresses nevertheless is not expanded.
		DisableCompression: true,
	}
	if policy == PublicOnly {
		// Through a proxy, the proxy connects; then only literal addresses can be checked.
		transport.Proxy = func(r *http.Request) (*url.URL, error) {
			through, err := proxy(r)
			if err == nil && through != nil && literalIsPrivate(r.URL.Hostname()) {
				return nil, errPrivate
			}
			return through, err
		}
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if isProxy(proxy, address) {
				return dialer.DialContext(ctx, network, address)
			}
			return dialPublic(ctx, dialer, network, address)
		}
	}
	return &http.Client{
		Transport:     &stallTransport{next: transport, limit: stall},
		CheckRedirect: checkRedirect,
	}
}

func literalIsPrivate(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && IsPrivate(address)
}

// isProxy reports whether an address is that of the user's proxy, which may be in a private network.
func isProxy(proxy func(*http.Request) (*url.URL, error), address string) bool {
	for _, scheme := range []string{schemeHTTP, schemeHTTPS} {
		through, err := proxy(&http.Request{URL: &url.URL{Scheme: scheme, Host: "example.com"}})
		if err == nil && through != nil && (through.Host == address || through.Hostname() == hostOf(address)) {
			return true
		}
	}
	return false
}

func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}

// dialPublic connects to a public address of a host. The name is resolved once, so that it cannot change in between.
func dialPublic(ctx context.Context, dialer *net.Dialer, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	err = errPrivate
	for _, one := range found {
		if IsPrivate(one) {
			continue
		}
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, network, net.JoinHostPort(one.Unmap().String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

func checkRedirect(to *http.Request, via []*http.Request) error {
	from := via[len(via)-1].URL
	switch {
	case len(via) > maxRedirects:
		return errors.New("too many redirects")
	case via[0].Method != http.MethodGet && via[0].Method != http.MethodHead:
		return fmt.Errorf("a redirect to %s is not followed", to.URL.Redacted())
	case to.URL.Scheme != schemeHTTPS && (to.URL.Scheme != schemeHTTP || from.Scheme != schemeHTTP):
		return fmt.Errorf("a redirect to %s is not followed", to.URL.Redacted())
	}
	return nil
}

// errStalled is returned when a store has sent no bytes for some time.
var errStalled = errors.New("no bytes for too long")

// stallTransport ends requests that make no progress. A timeout of the whole request would end large transfers, too.
type stallTransport struct {
	next  *http.Transport
	limit time.Duration
}

func (t *stallTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	limit := t.limit
	if r.Method == http.MethodPut || isImport(r) {
		limit = verificationTime
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	timer := time.AfterFunc(limit, func() { cancel(errStalled) })
	watched := r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		watched.Body = &watchedBody{ReadCloser: r.Body, timer: timer, limit: limit, cancel: func() {}}
	}
	response, err := t.next.RoundTrip(watched)
	if err != nil {
		timer.Stop()
		if cause := context.Cause(ctx); errors.Is(cause, errStalled) {
			err = cause
		}
		cancel(nil)
		return nil, err
	}
	response.Body = &watchedBody{
		ReadCloser: response.Body, start: time.Now(), timer: timer, limit: limit, cause: ctx,
		cancel: func() { timer.Stop(); cancel(nil) },
	}
	return response, nil
}

// watchedBody restarts a timer with every read that returns bytes. A body with a cause is that of a response, which must not be slow.
type watchedBody struct {
	io.ReadCloser

	start  time.Time
	size   int64
	timer  *time.Timer
	limit  time.Duration
	cause  context.Context //nolint:containedctx // the context of the request whose body this is; may be nil
	cancel func()
}

func (b *watchedBody) Read(buffer []byte) (int, error) {
	n, err := b.ReadCloser.Read(buffer)
	if n > 0 {
		b.timer.Reset(b.limit)
		b.size += int64(n)
	}
	if passed := time.Since(b.start); err == nil && b.cause != nil && passed > slowTime*b.limit && float64(b.size) < slowRate*passed.Seconds() {
		return n, errSlow
	}
	if err != nil && !errors.Is(err, io.EOF) && b.cause != nil {
		if cause := context.Cause(b.cause); errors.Is(cause, errStalled) {
			err = cause
		}
	}
	return n, err
}

func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}
