// Package snapshot writes snapshots of the state to files, from which a node that joins the chain starts without
// executing every block, and restores them.
//
// A snapshot contains the rows of the state tree at one height and nothing else: derived rows and indexes are computed
// from them. Rows are split into chunks by a rule that depends on the rows alone. A manifest lists the hashes of the
// chunks, and the hash of the manifest identifies the snapshot. Two nodes at the same height therefore write the same
// bytes, and a joining node can fetch each chunk from a different peer.
//
// Chunks are compressed. The output of the compressor is stable only within one version of its library, so a test pins
// it: a library version with different output requires a new Format, and snapshots in an unknown format are refused. Old
// and new nodes then offer different snapshots and never mix their chunks.
//
// A restoration trusts no peer: a chunk is compared with the manifest before it is decoded, rows must be valid rows of a
// state, and the tree of all rows must have the root that the chain's validators signed. Only the number of messages
// committed before is not verified; the chain's statistics show it and no rule depends on it.
package snapshot
