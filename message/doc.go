// Package message builds, encodes, signs and validates the messages of the protocol.
//
// Decode (for a transaction of a block), Open (for a message of the API) and Author (which signs a new message) return
// an Envelope. VerifySignature and Validate complete the checks that need no state.
//
// Invariants:
//
//   - An Envelope's transaction is canonical, its hash is the hash of its data, its type is known and its body
//     is of that type (P2.1, P2.2, P2.5). Decoding its transaction returns an equal Envelope.
//   - An Envelope shares no memory with the input it was created from.
//   - Whether an encoding is canonical is decided by this package's own parser of the wire format, not by the output of
//     one version of a protobuf library.
//   - Single and batch verification return the same result for every input (P2.4).
//   - No input makes the package panic. Nothing here reads a clock, a file or a source of randomness.
package message
