package limit

import "net/netip"

// Shares counts what each client holds of a resource of which all clients together, and each of them, may hold a limited
// number. Clients on this machine are limited only in total, unless LimitLoopback is set. It must not be used by several
// goroutines at a time.
type Shares struct {
	Total, PerClient int
	LimitLoopback    bool

	taken    int
	byClient map[netip.Prefix]int
}

// Take takes one for a client and reports whether it is within both limits. The caller must give it back if it is.
func (s *Shares) Take(client netip.Addr) (ok, totalReached bool) {
	if s.taken >= s.Total {
		return false, true
	}
	network := ClientNetwork(client)
	if s.byClient[network] >= s.PerClient && (s.LimitLoopback || !client.IsLoopback()) {
		return false, false
	}
	if s.byClient == nil {
		s.byClient = map[netip.Prefix]int{}
	}
	s.taken++
	s.byClient[network]++
	return true, false
}

// Give gives back one that a client has taken.
func (s *Shares) Give(client netip.Addr) {
	network := ClientNetwork(client)
	s.taken--
	if s.byClient[network]--; s.byClient[network] == 0 {
		delete(s.byClient, network)
	}
}
