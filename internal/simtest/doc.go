// Package simtest is a seeded simulation of a chain: people who create, fork, push, invite, propose, pay, lapse
// and cheat, by messages of all types, in blocks whose time now and then leaps over months.
//
// Messages take the way they take through a node: signed by an author, encoded, decoded, verified, validated,
// assembled into a block and executed. After every block the invariants of P12 are checked from the raw rows
// and against the block before. A run is a function of its seed, which a failure names.
package simtest
