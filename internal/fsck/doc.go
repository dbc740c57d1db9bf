// Package fsck checks stored state: from the rows alone it decides whether they are what a chain can have
// written, and names every row that is not (P12).
//
// It shares no code with the ledger but the layout of the rows, so that a mistake there is not repeated
// here. It knows no history: what only a comparison of two states can show, such as a nonce that went back,
// is not its business.
//
// Rows are visited once in key order. What belongs to a row elsewhere is looked up, and what a row counts is
// counted by a scan of the range that holds it, so that every row is visited at most a few times. Memory does
// not grow with the state, only with the findings, and those are bounded.
package fsck
