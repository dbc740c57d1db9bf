package server

import (
	"net/netip"
	"sync"
	"time"

	"makechain/internal/limit"
)

const (
	// maxAccounts bounds the memory of accounts: at most twice as many are kept.
	maxAccounts = 32_768
	// requestCost is the processor time that a request includes. One that takes longer counts as several.
	requestCost = time.Millisecond
	// maxDebtBursts is the largest debt of an account, in bursts. It bounds how long a client has to wait after one
	// expensive call.
	maxDebtBursts = 5
	// maxInterval and maxBurst bound the settings, so that durations do not overflow.
	maxInterval = 1_000 * time.Second
	maxBurst    = 1_000_000
)

// Accounts bound what each client may request. A client's account is a token bucket of requests: a request takes one, and
// one more for each requestCost of work beyond the first. The cost of a call is known only while it runs, so an account can
// be in debt; the client's next requests are rejected until it is paid.
//
// Accounts are kept in two generations. When the young generation is full, or older than the time in which an account
// recovers from the largest debt, it replaces the old generation. A client that calls moves to the young generation, so an
// account that is dropped because its client was idle was full.
//
// The methods are safe for concurrent use. Servers of the same clients share their accounts.
type Accounts struct {
	interval time.Duration // in which one request becomes available, negative for no limit
	burst    time.Duration // in which a full account becomes available
	loopback bool          // clients on this machine have accounts too
	now      func() time.Time

	mu    sync.Mutex // guards the fields below
	young map[netip.Prefix]*account
	old   map[netip.Prefix]*account
	born  time.Time
}

// NewAccounts returns accounts with the rate limit of limits and a clock.
func NewAccounts(limits Limits, now func() time.Time) *Accounts {
	interval := min(time.Duration(float64(time.Second)/limits.RequestsPerSecond), maxInterval)
	return &Accounts{
		interval: interval, burst: time.Duration(min(limits.Burst, maxBurst)) * interval, loopback: limits.LimitLoopback,
		now: now, young: map[netip.Prefix]*account{}, born: now(),
	}
}

// account returns the account of a client, nil for a client without a limit.
func (a *Accounts) account(client netip.Addr) *account {
	if a.interval < 0 || client.IsLoopback() && !a.loopback {
		return nil
	}
	now, network := a.now(), limit.ClientNetwork(client)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.young) >= maxAccounts || now.Sub(a.born) > (1+maxDebtBursts)*a.burst {
		a.young, a.old, a.born = make(map[netip.Prefix]*account), a.young, now
	}
	found := a.young[network]
	if found == nil {
		if found = a.old[network]; found == nil {
			found = &account{accounts: a, credit: a.burst, updated: now}
		}
		a.young[network] = found
	}
	return found
}

// An account is the token bucket of one client.
type account struct {
	accounts *Accounts

	mu      sync.Mutex    // guards the fields below
	credit  time.Duration // in which the requests that are available became so; negative in debt
	updated time.Time
}

// take takes one request, or returns how long the client has to wait for it. inDebt reports whether it has to wait because
// of the cost of its calls.
func (a *account) take() (wait time.Duration, inDebt bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refill()
	if a.credit < a.accounts.interval {
		return a.accounts.interval - a.credit, a.credit < 0
	}
	a.credit -= a.accounts.interval
	return 0, false
}

// charge takes the requests that an amount of work counts as.
func (a *account) charge(cost time.Duration) {
	taken := float64(cost) / float64(requestCost) * float64(a.accounts.interval)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refill()
	a.credit = time.Duration(max(float64(a.credit)-taken, -maxDebtBursts*float64(a.accounts.burst)))
}

// debt returns the time in which the debt is paid, 0 without one.
func (a *account) debt() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refill()
	return max(-a.credit, 0)
}

// refill adds the time since the last change. a.mu must be held.
func (a *account) refill() {
	now := a.accounts.now()
	if elapsed := now.Sub(a.updated); elapsed > 0 {
		a.credit, a.updated = min(a.credit+elapsed, a.accounts.burst), now
	}
}
