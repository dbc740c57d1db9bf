// Package proof makes and checks proofs of the state: that a row is there, that it is not, that a list of
// rows is complete, and what storage an account may use.
//
// A proof is an ICS-23 commitment proof, or a few of them, against one state root. The root is always the
// caller's: nothing a node says about itself is believed. Package finality leads from the validators'
// signatures to that root; it stands apart because the types it needs from CometBFT import a server.
//
// Invariants:
//   - a verifier accepts a statement only if it follows from the root, given that SHA-256 has no collisions
//     and that the root commits to a well-formed tree (T1);
//   - a statement has one accepted encoding for a given tree: other bytes are refused;
//   - sizes and counts are bounded before work is done, and no input makes a verifier panic;
//   - a failure is a *StepError that says which step of the check failed.
package proof

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"makechain/internal/ident"
	"makechain/internal/schema"
)

// Bounds of what is made and accepted, in bytes unless said otherwise.
const (
	// MaxDepth is the longest path from a row to the root, in steps (T1.4).
	MaxDepth = 4096
	// MaxKeySize is the longest key of the state: the tombstone of a ref with the longest name.
	MaxKeySize = 1 + 1 + ident.HashSize + 254
	// MaxValueSize is well above the largest row, a commit with all its parents and its url.
	MaxValueSize = 16 << 10
	// MaxPageRows is the most rows a page of a range holds (T3.4); a limit of 0 means DefaultPageRows.
	MaxPageRows     = 200
	DefaultPageRows = 50
	// MaxGrants is the most storage grants one quota proof speaks of.
	MaxGrants = 4096
	// MaxAnswerSize bounds the proofs of one answer together; clients accept 4 MiB by default.
	MaxAnswerSize = 3 << 20

	maxStepSize      = 41 // one step of a path, encoded
	maxExistenceSize = MaxDepth*maxStepSize + MaxKeySize + MaxValueSize + 64
	maxProofSize     = 2*maxExistenceSize + MaxKeySize + 64
)

// Why a proof is not made. Verifiers give the first two as well.
var (
	// ErrKey refuses a key that can have no proof (T3.6).
	ErrKey = errors.New("not a key of the state root")
	// ErrCursor refuses a cursor that does not belong to the list it is used for.
	ErrCursor = errors.New("cursor of another list")
	// ErrAbsent says that the row to be proven is not there.
	ErrAbsent = errors.New("no row")
	// ErrPresent says that the row whose absence is to be proven is there.
	ErrPresent = errors.New("there is a row")
	// ErrTooLarge says that the proof would not fit into one answer.
	ErrTooLarge = errors.New("proof is too large for one answer")
)

// EmptyRoot is the root of the tree without rows (T1.3).
func EmptyRoot() [32]byte { return sha256.Sum256(nil) }

// The steps of a check. A proof of several rows wraps them in steps of its own that say which row.
const (
	StepBounds    = "bounds"    // too long, too many
	StepEncoding  = "encoding"  // not the canonical encoding of an ICS-23 proof
	StepShape     = "shape"     // not the leaf and inner nodes of the published spec
	StepKey       = "key"       // about another key, or a key that can have no proof
	StepValue     = "value"     // about another value
	StepRoot      = "root"      // leads to another root
	StepOrder     = "order"     // rows not in key order, or outside what was asked
	StepAdjacency = "adjacency" // there may be rows in between
	StepClaim     = "claim"     // the answer says what its rows do not
)

// StepError says which step of a check failed.
type StepError struct {
	Step string
	Err  error
}

// Error names the step first.
func (e *StepError) Error() string { return e.Step + ": " + e.Err.Error() }

// Unwrap gives the reason.
func (e *StepError) Unwrap() error { return e.Err }

func failed(step, format string, args ...any) error {
	return &StepError{Step: step, Err: fmt.Errorf(format, args...)}
}

// within names the part of a larger proof in which a step failed.
func within(part string, err error) error {
	if err == nil {
		return nil
	}
	return &StepError{Step: part, Err: err}
}

// checkKey refuses what can be no key of the state root, or no beginning of one.
func checkKey(key []byte) error {
	if len(key) == 0 || len(key) > MaxKeySize {
		return fmt.Errorf("%w: %d bytes, want 1 to %d", ErrKey, len(key), MaxKeySize)
	}
	if !schema.Prefix(key[0]).Merkleized() {
		return fmt.Errorf("%w: prefix %#02x is not part of it", ErrKey, key[0])
	}
	return nil
}

// checkRoot compares the root an answer names with the one the caller trusts.
func checkRoot(root [32]byte, named []byte) error {
	if len(named) != len(root) {
		return failed(StepRoot, "answer names a root of %d bytes", len(named))
	}
	if [32]byte(named) != root {
		return failed(StepRoot, "answer is about root %x, not %x", named, root)
	}
	return nil
}
