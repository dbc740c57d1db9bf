// Package proof creates and verifies proofs of the state: that a row exists, that it does not exist, that a list of rows
// is complete, and how much storage an account may use.
//
// A proof consists of ICS-23 commitment proofs against one state root. The caller always supplies the root: verifiers
// trust nothing that a node states. Package finality verifies that validators signed that root; it is separate because
// CometBFT's types import a gRPC server.
//
// Invariants:
//   - a verifier accepts a statement only if it follows from the root, given that SHA-256 has no collisions
//     and that the root commits to a well-formed tree (T1);
//   - a statement has one accepted encoding for a given tree: other bytes are refused;
//   - sizes and counts are bounded before work is done, and no input makes a verifier panic;
//   - a failure is a *StepError that names the step that failed.
package proof

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"makechain/internal/ident"
	"makechain/internal/schema"
)

// Limits of the proofs that are created and accepted, in bytes unless stated otherwise.
const (
	// MaxDepth is the longest path from a row to the root, in steps (T1.4).
	MaxDepth = 4096
	// MaxKeySize is the longest key of the state: the tombstone of a ref with the longest name.
	MaxKeySize = 1 + 1 + ident.HashSize + 254
	// MaxValueSize is well above the largest row, a commit with all its parents and its url.
	MaxValueSize = 16 << 10
	// MaxPageRows is the maximum number of rows in a page of a range (T3.4); a limit of 0 means DefaultPageRows.
	MaxPageRows     = 200
	DefaultPageRows = 50
	// MaxGrants is the maximum number of storage grants in a quota proof.
	MaxGrants = 4096
	// MaxAnswerSize is the maximum total size of the proofs in one response; clients accept 4 MiB by default.
	MaxAnswerSize = 3 << 20

	maxStepSize      = 41 // one step of a path, encoded
	maxExistenceSize = MaxDepth*maxStepSize + MaxKeySize + MaxValueSize + 64
	maxProofSize     = 2*maxExistenceSize + MaxKeySize + 64
)

// Errors of creating a proof. Verifiers return the first two as well.
var (
	// ErrKey is returned for a key that cannot have a proof (T3.6).
	ErrKey = errors.New("not a key of the state root")
	// ErrCursor is returned for a cursor of another list.
	ErrCursor = errors.New("cursor of another list")
	// ErrAbsent is returned when the row to prove does not exist.
	ErrAbsent = errors.New("no row")
	// ErrPresent is returned when the row whose absence is to be proven exists.
	ErrPresent = errors.New("there is a row")
	// ErrTooLarge is returned when the proof would not fit into one response.
	ErrTooLarge = errors.New("proof is too large for one response")
)

// EmptyRoot returns the root of the empty tree (T1.3).
func EmptyRoot() [32]byte { return sha256.Sum256(nil) }

// Steps of a verification. A proof of several rows wraps them in steps that name the row.
const (
	StepBounds    = "bounds"    // too long, too many
	StepEncoding  = "encoding"  // not the canonical encoding of an ICS-23 proof
	StepShape     = "shape"     // not the leaf and inner nodes of the published spec
	StepKey       = "key"       // for another key, or a key that cannot have a proof
	StepValue     = "value"     // for another value
	StepRoot      = "root"      // leads to another root
	StepOrder     = "order"     // rows not in key order, or outside of the requested range
	StepAdjacency = "adjacency" // rows may be missing in between
	StepClaim     = "claim"     // the response states something else than its rows
)

// StepError names the step of a verification that failed.
type StepError struct {
	Step string
	Err  error
}

// Error returns the step and the reason.
func (e *StepError) Error() string { return e.Step + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *StepError) Unwrap() error { return e.Err }

func failed(step, format string, args ...any) error {
	return &StepError{Step: step, Err: fmt.Errorf(format, args...)}
}

// within adds the part of a larger proof in which a step failed.
func within(part string, err error) error {
	if err == nil {
		return nil
	}
	return &StepError{Step: part, Err: err}
}

// checkKey refuses keys that are neither a key of the state root nor a prefix of one.
func checkKey(key []byte) error {
	if len(key) == 0 || len(key) > MaxKeySize {
		return fmt.Errorf("%w: %d bytes, want 1 to %d", ErrKey, len(key), MaxKeySize)
	}
	if !schema.Prefix(key[0]).Merkleized() {
		return fmt.Errorf("%w: prefix %#02x is not part of it", ErrKey, key[0])
	}
	return nil
}

// checkRoot compares the root of a response with the root that the caller trusts.
func checkRoot(root [32]byte, named []byte) error {
	if len(named) != len(root) {
		return failed(StepRoot, "response has a root of %d bytes", len(named))
	}
	if [32]byte(named) != root {
		return failed(StepRoot, "response is for root %x, not %x", named, root)
	}
	return nil
}
