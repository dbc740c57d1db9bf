// Package simtest is a seeded simulation of a chain: users send valid and invalid messages of all types, in blocks whose
// time sometimes advances by months.
//
// Messages are processed as in a node: signed, encoded, decoded, verified, validated, assembled into a block and executed.
// After every block the invariants of P12 are checked from the raw rows and against the previous block. A run is a
// function of its seed, which a failure prints.
package simtest
