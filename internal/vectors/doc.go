// Package vectors makes the vectors under testdata/vectors, by which another implementation can check itself.
//
// All of it is test code. Every vector is made from fixed secrets and times, so making them again gives the
// same bytes: the tests compare with the committed files, and `go test ./internal/vectors -update` rewrites
// them. A verdict is written down by hand beside each case and compared with what the code answers; only
// digests, signatures, proofs and roots are taken from the code, and package conformance computes them anew
// with other libraries.
package vectors
