// Package jsonform encodes the messages of the service as JSON and decodes them, by the conventions of docs/spec/rest.md.
// The gateway, its streams and the command line use it.
//
// Invariants:
//
//   - The form of every message follows from the descriptors of the schema and a small table of exceptions by name
//     (form.go). A message that is added to the schema needs no code here.
//   - The encoding is deterministic: keys are in the order of the schema and every key is present.
//   - Unmarshal decodes what Marshal encodes to an equal message. So a message that was read can be submitted without
//     changes, with the same hash.
//   - Decoding is strict. Errors name their path and are collected, up to MaxErrors.
//   - No input causes a panic, and the memory used for decoding is bounded by the size of the input, by MaxObjects and by
//     the limit of each list.
//   - Limits of the protocol are left to the node, which refuses a message with its own code. UnmarshalRequest checks the
//     few that the published schemas contain.
package jsonform
