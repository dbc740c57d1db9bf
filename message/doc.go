// Package message makes, encodes, signs and checks the messages of the protocol.
//
// A message becomes an Envelope through Decode (a transaction of a block), Open (a message of the API) or an
// Author (a message of one's own). Then VerifySignature and Validate complete what can be said about it
// without state.
//
// What always holds:
//
//   - An Envelope's transaction is canonical, its hash is the hash of its data, its type is known and its body
//     is of that type (P2.1, P2.2, P2.5). Decoding its transaction gives the same Envelope again.
//   - An Envelope shares no memory with what it was made from, so later changes there cannot reach it.
//   - Canonical encoding is decided by this package's own reading of the wire format, not by what some
//     version of a protobuf library happens to write.
//   - Single and batch verification give the same verdict on every input (P2.4).
//   - No input makes the package panic. Nothing here reads a clock, a file or a source of randomness.
package message
