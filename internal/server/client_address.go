package server

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

type clientAddressKey struct{}

// ClientAddress is the address that the request of a context came from. It is not valid outside of one.
func ClientAddress(ctx context.Context) netip.Addr {
	address, _ := ctx.Value(clientAddressKey{}).(netip.Addr)
	return address
}

// locate finds out who a request came from.
func locate(proxies []netip.Prefix, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), clientAddressKey{}, clientAddress(proxies, r))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// clientAddress is the peer of the connection or, behind proxies that are trusted, the address that the
// first of them saw. Each proxy appends the peer it saw, so the list is read from its end, and what stands
// before the first untrusted address is hearsay.
func clientAddress(proxies []netip.Prefix, r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !isTrusted(proxies, address) {
			break
		}
		seen, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		address = seen.Unmap().WithZone("")
	}
	return address
}

func isTrusted(proxies []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(proxies, func(network netip.Prefix) bool { return network.Contains(address) })
}
