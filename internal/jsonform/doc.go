// Package jsonform writes the messages of the service as JSON and reads them back, by the conventions of
// docs/spec/rest.md. The gateway, its streams and the command line share it.
//
// What always holds:
//
//   - Everything follows from the descriptors of the schema and a small table of exceptions by name (form.go,
//     shape.go). A message that the schema gains later has a form without a line of code here.
//   - The same message is always the same text: keys stand in the order of the schema, every key is there, and
//     nothing depends on the order of a map.
//   - What Marshal writes, Unmarshal reads to an equal message. So a message that was read can be submitted as
//     it is, with the same hash.
//   - Reading is strict. Whatever is not exactly what a message has room for is a fault that names its place;
//     faults of form are collected, up to MaxFaults, so that they can be mended at once.
//   - No input makes the package panic, and what reading holds in memory is bounded by the size of the input, by
//     MaxObjects and by the limits of each list.
//   - Bounds that belong to the protocol, such as the length of a hash, are left to it: the node refuses what
//     breaks them, with its own code.
package jsonform
