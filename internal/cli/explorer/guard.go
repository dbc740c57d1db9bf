package explorer

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
)

// Reasons to refuse a request.
var (
	errHost   = errors.New("the Host header is not that of the explorer: open http://localhost with its port")
	errOrigin = errors.New("the explorer does not answer other web sites")
)

// A guard refuses requests that another web site makes a browser send: to a name of its own that resolves to this machine (DNS
// rebinding), or across origins.
type guard struct {
	port atomic.Int32 // 0 until the explorer listens
}

// serve admits requests to the port of a URL.
func (g *guard) serve(listening string) error {
	parsed, err := url.Parse(listening)
	if err != nil {
		return err
	}
	address, err := netip.ParseAddrPort(parsed.Host)
	if err != nil {
		return err
	}
	g.port.Store(int32(address.Port()))
	return nil
}

// admit returns the reason to refuse a request, nil if there is none.
func (g *guard) admit(r *http.Request) error {
	if !g.isOwnHost(r.Host) {
		return errHost
	}
	origins := r.Header.Values("Origin")
	if len(origins) > 1 || len(origins) == 1 && !strings.EqualFold(origins[0], "http://"+r.Host) {
		return errOrigin
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none": // a program, the page itself, or the user
		return nil
	default:
		// A link to the page on another site may be followed; the page cannot be framed, nor reached by what opened it.
		isLink := r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
			r.Header.Get("Sec-Fetch-Dest") == "document"
		if isLink && len(origins) == 0 {
			return nil
		}
		return errOrigin
	}
}

// isOwnHost reports whether a Host header names this machine and the port of the explorer.
func (g *guard) isOwnHost(host string) bool {
	port := int(g.port.Load())
	for _, name := range []string{"localhost", "127.0.0.1", "[::1]"} {
		if port > 0 && (strings.EqualFold(host, name+":"+strconv.Itoa(port)) || port == 80 && strings.EqualFold(host, name)) {
			return true
		}
	}
	return false
}
