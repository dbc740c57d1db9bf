// Package store keeps the state on disk: the rows, the height and the root of the last block.
//
// A block becomes durable in one atomic, synced batch, so a crash leaves the state before it or the state after it.
// The nodes of the state tree are not stored. They follow from the rows: opening builds the tree in one scan, and a
// store whose rows do not give the stored root is refused.
//
// Reads go through a Snapshot, which holds the rows and the tree of one height. A snapshot never changes, never waits
// for a commit and never makes one wait.
//
// A store without a state can be filled with one that was worked out elsewhere. A crash on the way leaves it empty.
//
// This is the only package that knows Pebble.
package store
