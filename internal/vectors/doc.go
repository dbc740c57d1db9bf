// Package vectors generates the test vectors under testdata/vectors, with which other implementations can be checked.
//
// It contains test code only. Vectors are derived from fixed secrets and times, so that generating them again produces the
// same bytes: the tests compare them with the committed files, and `go test ./internal/vectors -update` rewrites these.
// The expected result of each case is written by hand and compared with the code; only digests, signatures, proofs and
// roots come from the code, and package conformance recomputes them with other libraries.
package vectors
