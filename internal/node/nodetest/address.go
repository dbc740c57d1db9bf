package nodetest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreeAddress returns an address of this machine with a free port, for a server whose address must be known before it starts. The
// port is below those that systems use for outgoing connections, one of which could otherwise have it before the server does.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	var err error
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(22_000)) //nolint:gosec // a port is not a secret
		var listener net.Listener
		if listener, err = new(net.ListenConfig).Listen(tb.Context(), "tcp", address); err == nil {
			_ = listener.Close() // nothing was accepted
			return address
		}
	}
	tb.Fatal(err)
	return ""
}
