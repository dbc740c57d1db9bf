// Package merkle is the state tree: a binary crit-bit tree over the rows of the state, with one root for one set
// of rows.
//
// The same set of rows gives the same root, in whatever order and in however many batches it was written, at any
// number of cores (T1.1). Keys and values are not held in memory: a node knows the bit at which its two children
// part, their hashes, and the first few bits that each child's keys go on with. Changing a row walks down by the
// key's own bits. A new row finds its place by those few bits too, and asks the stored rows only where they do not
// suffice, so that most updates read nothing from disk.
//
// The tree is persistent. An update leaves the version it starts from as it is and makes a new one that shares what
// did not change. A Version is immutable: any number of goroutines may read it while the next one is being made, and
// a version that is not wanted is released and leaves nothing behind.
package merkle
