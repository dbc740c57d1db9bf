// Package loadtest load-tests nodes over their public API.
//
// The load is open loop: every call has a predetermined due time, and latency is measured from then, also when the call had
// to wait for another one. Messages are signed and encoded before the clock starts. Calls are made in lanes: a lane makes
// one call after another, and an account sends in one lane only, so that its messages keep their order.
//
// Invariants: figures cover only the measured window after the warm-up; committed messages are counted at block boundaries,
// from the counters of the chain; refusals are never left out.
package loadtest
