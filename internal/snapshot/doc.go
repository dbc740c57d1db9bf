// Package snapshot keeps copies of the state in files, from which a node that joins the chain begins without executing
// every block, and restores such a copy.
//
// A snapshot holds the rows of the state tree at one height and nothing else: derived rows and indexes follow from
// them. Rows are cut into chunks by a rule that looks at nothing but the rows. A manifest lists the hashes of the
// chunks, and its own hash names the snapshot. So two nodes at one height make the same bytes, and a joining node can
// take each chunk from another peer.
//
// Chunks are compressed. The bytes a compressor makes are promised by one version of its library alone, so a test pins
// them: a library that makes others is taken in with a new Format, and snapshots of a format that is not known are
// refused. Old and new nodes then offer different snapshots and never mix up their chunks.
//
// Whoever restores trusts nobody: a chunk is compared with the manifest before it is read, rows must be ones that a
// state can have, and the tree of all rows must have the root that the chain's validators signed. One number is taken
// on trust, that of messages committed before, which the chain's statistics show and no rule depends on.
package snapshot
