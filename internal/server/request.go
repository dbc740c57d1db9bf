package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// RequestIDHeader carries the id of a request, in both directions.
const RequestIDHeader = "X-Request-ID"

// maxRequestIDLength is the length of the longest id that is accepted from a client.
const maxRequestIDLength = 64

type requestIDKey struct{}

// RequestID returns the id of the request that a context belongs to, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// withRequestID adds an id to each request and its response: the client's own if it is valid, otherwise a random one.
func withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(RequestIDHeader)
		if !isRequestID(id) {
			id = rand.Text()
		}
		w.Header().Set(RequestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

func isRequestID(id string) bool {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	return id != "" && len(id) <= maxRequestIDLength && strings.Trim(id, alphabet) == ""
}

// LogHandler returns a handler that adds the request id to every record whose context has one.
func LogHandler(next slog.Handler) slog.Handler {
	if _, done := next.(logHandler); done {
		return next
	}
	return logHandler{next}
}

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	if id := RequestID(ctx); id != "" {
		record = record.Clone()
		record.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}

type clientAddressKey struct{}

// ClientAddress returns the address that the request of a context came from. It is not valid when the context belongs to
// no request.
func ClientAddress(ctx context.Context) netip.Addr {
	address, _ := ctx.Value(clientAddressKey{}).(netip.Addr)
	return address
}

// withClient adds the client's address, and the meter of a client that is limited, to the context of each request.
func (s *stack) withClient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client := clientAddress(s.config.TrustedProxies, r)
		ctx := context.WithValue(r.Context(), clientAddressKey{}, client)
		ctx = context.WithValue(ctx, confidentialKey{}, client.IsLoopback() || isEncrypted(s.config.TrustedProxies, r))
		next.ServeHTTP(w, r.WithContext(s.withMeter(ctx, client)))
	})
}

type confidentialKey struct{}

// IsConfidential reports whether the request of a context came over TLS or from this machine, so that the response
// cannot be read on the network.
func IsConfidential(ctx context.Context) bool {
	confidential, _ := ctx.Value(confidentialKey{}).(bool)
	return confidential
}

// isEncrypted reports whether a request came over TLS, to this server or to a trusted proxy.
func isEncrypted(proxies []netip.Prefix, r *http.Request) bool {
	return r.TLS != nil || isIn(proxies, peerAddress(r.RemoteAddr)) && r.Header.Get("X-Forwarded-Proto") == "https"
}

// clientAddress returns the peer of the connection or, behind trusted proxies, the last address in X-Forwarded-For that
// is not one of theirs. Each proxy appends the peer it saw, so entries before the first untrusted address may be forged.
//
// A loopback address means that the client is on this machine. A request that a proxy which is not trusted has forwarded
// from this machine, or whose last entry cannot be read, has no valid address: all such clients count as one.
func clientAddress(proxies []netip.Prefix, r *http.Request) netip.Addr {
	peer := peerAddress(r.RemoteAddr)
	address, isLocal := peer, peer.IsLoopback() && len(r.Header.Values("Forwarded")) == 0
	hops := r.Header.Values("X-Forwarded-For")
	if !isIn(proxies, peer) && len(hops) > 0 {
		isLocal = false
	}
	for _, hop := range slices.Backward(strings.Split(strings.Join(hops, ","), ",")) {
		if len(hops) == 0 || !isIn(proxies, address) {
			break
		}
		seen := forwardedAddress(hop)
		if !seen.IsValid() {
			isLocal = false
			break
		}
		address = seen
	}
	if address.IsLoopback() && !isLocal {
		return netip.Addr{}
	}
	return address
}

// forwardedAddress returns the address of an entry of X-Forwarded-For, which some proxies write with a port, in brackets or
// in quotes. It is not valid if the entry is not an address.
func forwardedAddress(entry string) netip.Addr {
	entry = strings.Trim(strings.TrimSpace(entry), `"`)
	if address := peerAddress(entry); address.IsValid() {
		return address
	}
	if inner, isBracketed := strings.CutPrefix(entry, "["); isBracketed {
		entry = strings.TrimSuffix(inner, "]")
	}
	address, err := netip.ParseAddr(entry)
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}

// ForwardedFor returns the X-Forwarded-For header of a call to another server on behalf of the request of a context. It is
// empty for clients on this machine, and when the context belongs to no request.
func ForwardedFor(ctx context.Context) string {
	address, isRequest := ctx.Value(clientAddressKey{}).(netip.Addr)
	switch {
	case !isRequest || address.IsLoopback():
		return ""
	case !address.IsValid():
		return "unknown"
	default:
		return address.String()
	}
}

// Headers that identify the state a response was read from.
const (
	// BlockHeader is the height of the node when it received the request; the response may be of a later one.
	BlockHeader = "Makechain-Block"
	// BehindHeader is the number of blocks that the node is missing. It is set only while the node catches up.
	BehindHeader = "Makechain-Behind"
)

// A Position is the height of a node, and the distance to its peers.
type Position struct {
	Block      uint64
	CatchingUp bool
	Behind     uint64 // blocks that peers have and the node has not
}

// withPosition sets BlockHeader and BehindHeader in each response, before the state is read.
func withPosition(position func() Position, next http.Handler) http.Handler {
	if position == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := position()
		w.Header().Set(BlockHeader, strconv.FormatUint(at.Block, 10))
		if at.CatchingUp {
			w.Header().Set(BehindHeader, strconv.FormatUint(at.Behind, 10))
		}
		next.ServeHTTP(w, r)
	})
}
