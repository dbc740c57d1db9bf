// Package bench measures nodes over their public API.
//
// Load is open loop: every call is due at a time that was fixed before, and what it brings counts its latency from then
// on, also when the call had to wait for another. Messages are signed and encoded before the clock starts. Accounts keep
// to lanes: a lane makes its calls one after another, so that messages of one account keep their order.
//
// What always holds: a figure is of the window after the warm-up alone; what commits is counted at block boundaries, by
// what the chain says of itself; refusals are never left out.
package loadtest
